import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { spawnChild, type TestChild } from '../../../support/child.js';
import {
  type DatabaseServer,
  type PrometheusServer,
  type RedisServer,
  startPostgres,
  startPrometheus,
  startRedis,
} from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { alerts, RULES_FILE } from '../../../operations/support/shipped-files.js';
import { APPS, type Observed, type ObservedJob } from './support/observed-job.js';

const TIMEOUT_MS = 120_000;

/** The alerts that need no outage. */
const BEFORE = [
  'SnowflakeWorkerIdsRunOut',
  'SnowflakeProcessesWait',
  'SnowflakeWorkerIdHeldTwice',
  'SnowflakeWorkerIdChanges',
  'SnowflakeProcessCopied',
  'SnowflakeClockWrong',
  'SnowflakeLayoutEnds',
  'SnowflakeServiceSlow',
  'SnowflakeSeriesWaits',
];
/** The alerts of an outage of the lease store and of the database of segments. Some end when the next one begins. */
const OUTAGE = [
  'SnowflakeStoreUnreachable',
  'SnowflakeReserveEnds',
  'SnowflakeLeaseCallsFail',
  'SnowflakeExhausted',
  'SnowflakeServiceFails',
  'SnowflakeSegmentClaimsFail',
  'SnowflakeSegmentsEnd',
];

/** The shipped rules, with seconds instead of minutes: Prometheus scrapes once a second here. */
function quickRules(): string {
  return readFileSync(RULES_FILE, 'utf8')
    .replaceAll(/for: \d+m/g, 'for: 2s')
    .replaceAll(/\[1m\]/g, '[4s]')
    .replaceAll(/\[[25]m\]/g, '[8s]');
}

const folder = mkdtempSync(join(tmpdir(), 'snowflake-alerts-'));
const children: TestChild[] = [];
const fired = new Set<string>();
let redis: RedisServer;
let failingRedis: RedisServer;
let postgres: DatabaseServer;
let prometheus: PrometheusServer;

async function spawn(file: string, job: ObservedJob): Promise<string> {
  const child = spawnChild(new URL(file, import.meta.url), { args: [JSON.stringify(job)] });
  children.push(child);
  const isUp = (message: unknown): message is Observed => typeof (message as Observed).url === 'string';
  return (await child.next(isUp, TIMEOUT_MS)).url;
}

beforeAll(async () => {
  [redis, failingRedis, postgres] = await Promise.all([startRedis(), startRedis(), startPostgres()]);
  const job = { redis: redis.url, failingRedis: failingRedis.url, postgres: postgres.url };
  const apps = await Promise.all(
    Array.from({ length: APPS }, () => spawn('./children/observed-app.ts', job)),
  );
  const clock = await spawn('./children/wrong-clock.ts', job);
  const rules = join(folder, 'rules.yml');
  writeFileSync(rules, quickRules());
  prometheus = await startPrometheus({ app: apps, clock: [clock] }, rules);
});
afterAll(async () => {
  await Promise.all(children.map((child) => child.kill()));
  await Promise.all([prometheus?.stop(), redis?.stop(), failingRedis?.stop(), postgres?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** Notes what fires now. */
async function noteFired(): Promise<void> {
  interface Alerts {
    readonly alerts: readonly { readonly state: string; readonly labels: { readonly alertname: string } }[];
  }
  const { alerts: active } = await prometheus.api<Alerts>('alerts');
  for (const { state, labels } of active) if (state === 'firing') fired.add(labels.alertname);
}

async function expectToFire(names: readonly string[]): Promise<void> {
  const missing = (): string[] => names.filter((name) => !fired.has(name));
  await waitFor(
    () => `the alerts ${missing().join(', ')}`,
    TIMEOUT_MS,
    async () => {
      await noteFired();
      return missing().length === 0;
    },
  );
}

/** Renews the lease of the process as a copy of its memory would: the same grant, and a renewal that the process hasn't made. */
async function renewAsCopy(): Promise<void> {
  const client = new Redis(redis.url);
  try {
    await waitFor('a renewal by the copy', TIMEOUT_MS, async () => {
      const [[key] = []] = [await client.keys('*copied*')];
      const row = key === undefined ? null : await client.hget(key, '0');
      const [, grant, renewals] = /^(.*?)(?:~(\d+)~\w+)?$/.exec(row ?? '') ?? [];
      if (key === undefined || !grant) return false;
      await client.hset(key, '0', `${grant}~${Number(renewals ?? 0) + 1}~0123456789abcdef`);
      return true;
    });
  } finally {
    client.disconnect();
  }
}

describe('the shipped alert rules on real processes', () => {
  it('fire on worker IDs, clocks, a slow service and slow transactions while all stores are reachable', async () => {
    // An increase needs a value of this process before it.
    const copies = 'snowflake_lease_switches_total{snowflake_cause="copied",snowflake_instance="copied"}';
    await waitFor('a scrape', TIMEOUT_MS, async () => {
      const rows = await prometheus.query(copies);
      return rows.length > 0;
    });
    await renewAsCopy();
    await expectToFire(BEFORE);
    // Control: nothing of an outage has fired.
    expect([...fired].filter((name) => OUTAGE.includes(name))).toEqual([]);
  });

  it('fire on an outage of the lease store and of the database of segments', async () => {
    await Promise.all([failingRedis.stop(), postgres.stop()]);
    await expectToFire(OUTAGE);
  });

  it('have all fired', () => {
    expect([...fired].sort()).toEqual(alerts.map(([name]) => name).sort());
  });
});
