import { InvalidOptionError } from 'nestjs-snowflake/core';
import { DRAIN_TIMEOUT_MS } from 'nestjs-snowflake/internal/kit/nest/bounded-drain';
import { keeperSettings, type KeeperSettings } from 'nestjs-snowflake/internal/lease/lease-options';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import type { AppOptions } from '../../settings/app-options.js';
import { errorText } from '../../frame/report-error.js';
import type { StoreSource, Subject } from '../stores/store-source.js';
import { type Finding, finding } from './findings.js';

const YEAR_MS = 365.25 * 24 * 60 * 60 * 1000;
/** Values of NODE_ENV for which the shortcuts of development are fine. */
const DEVELOPMENT_ENVIRONMENTS = new Set(['development', 'test']);

/** The checked settings of an app, and the findings. */
export interface ExaminedSettings {
  readonly findings: readonly Finding[];
  /** Absent without the options of an app, or if they are invalid. */
  readonly settings?: KeeperSettings;
}

/** Checks the options of an app without a connection. */
export function examineSettings(
  { app, source }: Subject,
  environment: { readonly nodeEnv: string | undefined; readonly nowMs: number },
): ExaminedSettings {
  if (app.store === undefined) return { findings: [] };
  try {
    const { layout } = checkedMaker(app as AppOptions);
    const settings = keeperSettings(layout, app.lease ?? {}, app.onClockRollback, app.datacenterId);
    const findings = [
      ...shortcuts(app, source, environment.nodeEnv),
      ...endingLayout(layout.expiresAt.getTime(), environment.nowMs),
    ];
    return { findings, settings };
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    return { findings: [finding('OPTIONS_INVALID', errorText(error))] };
  }
}

/** Creates an ID maker, which checks every option in its constructor and connects only when it starts. */
function checkedMaker({ name: _name, isGlobal: _isGlobal, ...options }: AppOptions): SnowflakeIdMaker {
  DRAIN_TIMEOUT_MS.check('drainTimeoutMs', options.drainTimeoutMs);
  return new SnowflakeIdMaker(options);
}

function shortcuts(app: Partial<AppOptions>, source: StoreSource, nodeEnv = ''): Finding[] {
  if (DEVELOPMENT_ENVIRONMENTS.has(nodeEnv)) return [];
  const isProduction = nodeEnv === 'production';
  const where = isProduction ? 'NODE_ENV is production.' : `NODE_ENV is ${nodeEnv || 'not set'}.`;
  const severity = isProduction ? 'error' : 'warning';
  const findings: Finding[] = [];
  if (app.lease?.possibleLoss === 'ignore') {
    const problem = `lease.possibleLoss is 'ignore'. If the store loses leases while processes run, IDs repeat. ${where}`;
    findings.push(finding('LOSS_IGNORED', problem, { severity }));
  }
  if (source.kind === 'memory') {
    const problem = `The store is memoryLeaseStore(), so two processes generate equal IDs. ${where}`;
    findings.push(finding('MEMORY_STORE', problem, { severity }));
  }
  if (isProduction && source.kind === 'sql' && source.options.createTable === true) {
    findings.push(finding('CREATE_TABLE', `createTable is true. ${where}`));
  }
  return findings;
}

function endingLayout(endMs: number, nowMs: number): Finding[] {
  if (endMs - nowMs > YEAR_MS) return [];
  return [finding('LAYOUT_ENDS', `The last timestamp of the layout is ${new Date(endMs).toISOString()}.`)];
}
