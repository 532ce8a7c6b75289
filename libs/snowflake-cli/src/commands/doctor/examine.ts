import type { DataSourceOptions } from 'typeorm';
import { safeReason } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import type { KeeperSettings } from 'nestjs-snowflake/internal/lease/lease-options';
import { isEmptyRegistry } from 'nestjs-snowflake/internal/lease/registry-overview';
import { asSnowflakeError } from 'nestjs-snowflake/internal/lease/store-caller';
import { StoreRejectedError } from 'nestjs-snowflake/standalone';
import { withCoordination, withPackage } from '../../frame/optional-package.js';
import { resolvedSql, secretsOf, withStore } from '../stores/make-store.js';
import { neighborsOf } from '../stores/neighbors.js';
import { readable } from '../stores/reading-source.js';
import type { StoreSource, Subject } from '../stores/store-source.js';
import { examineClock, readTwice } from './clock-check.js';
import { type Examination, type Finding, finding, findingOf, withoutSecrets } from './findings.js';
import { examineNamespace } from './namespace-check.js';
import { examinePackages, hasLibrary } from './packages-check.js';
import { type ServerReport, stopped } from './server-report.js';
import { examineSchemaTools } from './schema-tools-check.js';
import { examineSettings } from './settings-check.js';
import { examineSql } from './sql-check.js';

/** The environment of an examination. */
export interface ExaminationEnvironment {
  readonly timeoutMs: number;
  readonly projectFolder: string;
  readonly nodeEnv: string | undefined;
  readonly nodeVersion: string;
  now(): number;
}

/** A store, and the settings of its app. */
interface Examined {
  readonly source: StoreSource;
  readonly settings?: KeeperSettings;
}

const COMMAND = 'doctor';
const USER = { command: COMMAND };

/**
 * Examines an app and its store. Returns what was examined and all findings. Changes nothing, and acquires no lease.
 *
 * @param ormOptions the DataSource of the app's entities, if the caller names one
 */
export async function examine(
  subject: Subject,
  environment: ExaminationEnvironment,
  ormOptions?: DataSourceOptions,
): Promise<Examination> {
  const { nodeEnv, nodeVersion, projectFolder, timeoutMs } = environment;
  const { settings, findings } = examineSettings(subject, { nodeEnv, nowMs: environment.now() });
  const parts: Examination[] = [
    {
      findings: examinePackages(projectFolder, nodeVersion),
      examined: hasLibrary(projectFolder) ? ['packages'] : [],
    },
    { findings, examined: subject.app.store === undefined ? [] : ['options'] },
    examineSchemaTools(subject.source, projectFolder),
  ];
  const { source, problem } = await resolved(subject.source, timeoutMs);
  if (problem) parts.push({ findings: [problem], examined: [] });
  else parts.push(await examineStore({ source, settings }, environment));
  const driven = ormOptions ?? dataSourceIn(subject, source);
  if (driven && parts.every((part) => part.findings.every(({ code }) => code !== 'STORE_UNREACHABLE'))) {
    parts.push(await examineDriverOf(driven, timeoutMs, ormOptions !== undefined));
  }
  const secrets = secretsOf(source ?? subject.source, ormOptions);
  return {
    findings: parts.flatMap((part) => part.findings).map((each) => withoutSecrets(each, secrets)),
    examined: parts.flatMap(({ examined }) => examined),
  };
}

/** A store with its resolved DataSource, or the finding that explains why there is none. */
type Resolved =
  | { readonly source: StoreSource; readonly problem?: undefined }
  | { readonly source?: undefined; readonly problem: Finding };

async function resolved(source: StoreSource, timeoutMs: number): Promise<Resolved> {
  if (source.kind !== 'sql') return { source };
  const { createTable = false } = source.options;
  try {
    const options = await resolvedSql(source.options, { command: COMMAND, timeoutMs });
    return { source: { ...source, options: { ...options, createTable } } };
  } catch (error) {
    if (error instanceof StoreRejectedError) return { problem: finding('DATABASE_MISSING', error.message) };
    const problem = `The DataSource of the store can't be used: ${safeReason(error)}`;
    return { problem: finding('OPTIONS_INVALID', problem) };
  }
}

async function examineStore(
  { source, settings }: Examined,
  environment: ExaminationEnvironment,
): Promise<Examination> {
  const { timeoutMs } = environment;
  const { findings, historyId, isReadable, examined = [] } = await examineServer(source, timeoutMs);
  if (!isReadable) return { findings, examined };
  try {
    return await withStore(readable(source), { command: COMMAND, timeoutMs }, async (store) => {
      if (!store.renewable) return { findings, examined };
      const reading = await readTwice(store, () => environment.now());
      const neighbors = isEmptyRegistry(reading.snapshot)
        ? await neighborsOf(source, { command: COMMAND, timeoutMs })
        : undefined;
      const ofRegistry = [
        ...examineClock(reading, settings),
        ...examineNamespace(reading.snapshot, { settings, historyId, neighbors }),
      ];
      return { findings: [...findings, ...ofRegistry], examined: [...examined, 'clock', 'namespace'] };
    });
  } catch (error) {
    const failure = asSnowflakeError(error, 'The store');
    return { findings: [...findings, findingOf(failure)], examined };
  }
}

async function examineServer(source: StoreSource, timeoutMs: number): Promise<ServerReport> {
  switch (source.kind) {
    case 'redis': {
      const { examineRedis } = await withPackage('ioredis', COMMAND, () => import('./redis-check.js'));
      return examineRedis(source.options, timeoutMs);
    }
    case 'sql': {
      return examineSql(await resolvedSql(source.options, { command: COMMAND, timeoutMs }), timeoutMs);
    }
    case 'etcd': {
      const { examineEtcd } = await withCoordination(USER, () => import('./etcd-check.js'));
      return examineEtcd(source.options, timeoutMs);
    }
    case 'zookeeper': {
      const { examineZookeeper } = await withCoordination(USER, () => import('./zookeeper-check.js'));
      return examineZookeeper(source.options, timeoutMs);
    }
    case 'memory':
      return stopped();
    default:
      return { findings: [], isReadable: true };
  }
}

/** Returns the DataSource of a store if the app created it. A URL says nothing about the driver of the entities. */
function dataSourceIn({ app }: Subject, source: StoreSource | undefined): DataSourceOptions | undefined {
  if (app.store === undefined || source?.kind !== 'sql' || source.hasDataSource !== true) return undefined;
  return source.options.dataSource as DataSourceOptions;
}

async function examineDriverOf(
  options: DataSourceOptions,
  timeoutMs: number,
  hasEntities: boolean,
): Promise<Examination> {
  const { examineDriver } = await withPackage('typeorm', COMMAND, () => import('./driver-check.js'));
  return examineDriver(options, timeoutMs, hasEntities);
}
