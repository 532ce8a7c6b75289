import { Logger, type Type } from '@nestjs/common';
import {
  type LeaseEvent,
  type LeaseListener,
  type LeaseState,
  memoryLeaseStore,
  SnowflakeIdMaker,
  StoreUnavailableError,
} from 'nestjs-snowflake';
import { LeaseLogger } from '../../libs/snowflake/src/nest/lease-logger.js';
import { CapturedLogs } from '../nest/support/captured-logs.js';
import { PageCode } from './page-code.js';

const page = new PageCode('docs/operations/monitoring.md');

afterAll(() => {
  Logger.overrideLogger(false);
  page.remove();
});

const AT = new Date('2026-11-21T10:20:57.897Z');
const untilMs = AT.getTime();
const EVENTS: readonly LeaseEvent[] = [
  { type: 'acquired', workerId: 17, fromMs: 0, untilMs, cause: 'start' },
  { type: 'renewed', workerId: 17, untilMs, durationMs: 3 },
  { type: 'waiting', reason: 'empty', waitMs: 65_000 },
  { type: 'waiting', reason: 'history', waitMs: 65_000 },
  { type: 'waiting', reason: 'full', waitMs: 12_500 },
  { type: 'waiting', reason: 'alone', waitMs: 500 },
  { type: 'acquired', workerId: 18, fromMs: 0, untilMs, cause: 'switch', previousWorkerId: 17 },
  { type: 'acquired', workerId: 18, fromMs: 0, untilMs, cause: 'lost', previousWorkerId: 17 },
  {
    type: 'renewal-failed',
    error: new StoreUnavailableError(
      'redis namespace "shop" cannot serve now: connect ECONNREFUSED 127.0.0.1:6379',
    ),
  },
  { type: 'state', from: 'active', to: 'degraded' },
  { type: 'state', from: 'degraded', to: 'exhausted' },
  { type: 'recovered', failures: 167, outageMs: 83_400 },
  { type: 'clock-rollback', backwardsMs: 3_600_000 },
  { type: 'clock-corrected', offsetMs: 8200, skewMs: 8200 },
  { type: 'released', workerId: 17, lastUsedMs: 0 },
  { type: 'release-failed', workerId: 17, untilMs },
  { type: 'released', workerId: 17, lastUsedMs: 0, takenUntilMs: untilMs },
];

/** What the logger of the library writes for these events, with the levels of Nest. */
function written(): string[] {
  const logs = new CapturedLogs();
  Logger.overrideLogger(logs);
  let listener: LeaseListener | undefined;
  const maker = {
    status: () => ({ store: 'redis namespace "shop"', leaseUntil: AT, expiresAt: new Date('2093-09-06') }),
    nowMs: () => untilMs,
    subscribe: (added: LeaseListener) => (listener = added),
  };
  new LeaseLogger('default', maker as unknown as SnowflakeIdMaker).start();
  for (const event of EVENTS) listener?.(event);
  return logs.lines.map((line) =>
    line.replace(/^(\w+): \[SnowflakeModule\] /, (_, level: string) => `${level.toUpperCase()} `),
  );
}

/** The lines that the page shows, unwrapped. */
function shown(): string[] {
  const text = page.page.blocksIn('text').map((block) => block.text.replaceAll(/\n {5}/g, ' '));
  return text.flatMap((block) => block.trimEnd().split('\n')).map((line) => line.replaceAll(/ {2,}/g, ' '));
}

describe('the log lines of the page on monitoring', () => {
  it('the library writes the lines of the page, in this order, and none for a renewal', () => {
    expect(shown()).toEqual(written());
  });
});

describe('the code of the page on monitoring', () => {
  it('counts outages and states until its module ends', async () => {
    interface Metrics {
      readonly outages: number;
      readonly states: LeaseState[];
      onModuleDestroy(): void;
    }
    const LeaseMetrics = await page.run<Type<Metrics>>('lease-metrics.service.ts', 'LeaseMetrics');
    const ids = new SnowflakeIdMaker({ store: memoryLeaseStore() });
    const metrics = new LeaseMetrics(ids);
    await ids.start();
    expect(metrics.states.at(-1)).toBe('active');
    expect(metrics.outages).toBe(0);
    metrics.onModuleDestroy();
    await ids.stop();
    expect(metrics.states).not.toContain('stopped');
    expect(page.notRun()).toEqual([]);
  });

  it('the page names every state and every field of the status', async () => {
    const ids = new SnowflakeIdMaker({ store: memoryLeaseStore() });
    await ids.start();
    const fields = Object.keys(ids.status()).filter((field) => field !== 'datacenterId');
    await ids.stop();
    for (const field of fields) expect(page.page.text).toContain(`\`${field}\``);
    for (const state of ['idle', 'acquiring', 'active', 'degraded', 'exhausted', 'stopped']) {
      expect(page.page.text).toContain(`\`${state}\``);
    }
  });
});
