import { jest } from '@jest/globals';
import {
  ConsoleLogger,
  Logger,
  Module,
  type DynamicModule,
  type LoggerService,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Logger as PinoLogger, LoggerModule } from 'nestjs-pino';
import {
  SnowflakeIdMaker,
  SnowflakeModule,
  memoryLeaseStore,
  staticLeaseStore,
  type SnowflakeOptions,
} from 'nestjs-snowflake';
import { BitLayout } from 'nestjs-snowflake/core';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { seeDocs } from '../../libs/snowflake/src/core/see-docs.js';
import { StoreUnavailableError } from '../../libs/snowflake/src/core/errors/lease-errors.js';
import type { LeaseEvent, LeaseListener } from '../../libs/snowflake/src/lease/lease-events.js';
import { LeaseLogger } from '../../libs/snowflake/src/nest/lease-logger.js';
import { SHORT_WINDOW } from '../lease/support/short-window.js';
import { Holder } from '../lease/support/traffic.js';
import { startRedis, type RedisServer } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { Apps } from './support/apps.js';
import { CapturedLogs } from './support/captured-logs.js';
import { Renewals } from './support/renewals.js';

const TIMEOUT_MS = 60_000;
/** Outlasts some failed calls, and gives calls more time than they take under load. */
const LONG_WINDOW = { ...SHORT_WINDOW, windowMs: 60_000, maxSkewMs: 10_000, callTimeoutMs: 5000 };

let apps: Apps;
let logs: CapturedLogs;

beforeEach(() => {
  logs = new CapturedLogs();
});
beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(() => apps.closeAll());
afterAll(() => apps.server.stop());

async function boot(...imports: DynamicModule[]): Promise<SnowflakeIdMaker> {
  const app = await apps.boot({ imports }, logs);
  return app.get(SnowflakeIdMaker);
}

const TRUSTING = { lease: { ...LONG_WINDOW, possibleLoss: 'ignore' } } satisfies Partial<SnowflakeOptions>;

const failedCallsOf = (maker: SnowflakeIdMaker): number =>
  Object.values(maker.status().failedCalls).reduce((sum, count) => sum + count, 0);

/** Without what a call leaves behind that a busy machine does not answer in time. */
const withoutOutages = (lines: readonly string[]): string[] =>
  lines.filter((line) => !/A call to the lease store failed|(answers|grants leases) again after/.test(line));

const matching = (...patterns: RegExp[]): unknown[] =>
  patterns.map((pattern) => expect.stringMatching(pattern));

describe('the log of an app [promise: fail-closed]', () => {
  it('logs one line for an acquired worker ID and none for a renewal', async () => {
    const maker = await boot(
      SnowflakeModule.forRoot(apps.options('shop', TRUSTING)),
      SnowflakeModule.forRoot({ ...apps.options('accounts', TRUSTING), name: 'audit' }),
    );
    await new Renewals(maker).more(3);
    const acquired = (context: string, namespace: string): RegExp =>
      new RegExp(
        `^log: \\[${context}\\] Worker ID 0 of redis namespace "${namespace}": leased until 20\\S+Z, renewed`,
      );
    expect(logs.lines.sort()).toEqual(
      matching(acquired('SnowflakeModule:audit', 'accounts'), acquired('SnowflakeModule', 'shop')),
    );
  });

  it('logs one line when an outage begins and one when it ends, however many calls fail', async () => {
    const maker = await boot(SnowflakeModule.forRoot(apps.options('outage', TRUSTING)));
    const holder = new Holder(maker);
    await apps.server.kill();
    await holder.until('the outage to be noticed', () => maker.status().lastError !== undefined);
    await holder.until('some more calls to fail', () => failedCallsOf(maker) > 2);
    await apps.server.restart();
    await holder.until('the end of the outage', () => holder.eventsOf('recovered').length > 0);

    const { failures } = holder.eventsOf('recovered')[0]!;
    expect(failures).toBeGreaterThan(1);
    expect(logs.lines.slice(1)).toEqual(
      matching(
        /^warn: \[SnowflakeModule\] A call to the lease store failed\. .*redis namespace "outage"/,
        new RegExp(
          `^log: \\[SnowflakeModule\\] redis namespace "outage" answers again after .* ${failures} failed calls`,
        ),
      ),
    );
  });

  it('logs how long a start waits for an unknown history, why, and what to do', async () => {
    const lease = { ...SHORT_WINDOW, possibleLoss: 'wait' as const };
    await boot(SnowflakeModule.forRoot(apps.options('brand-new', { lease })));
    // A machine that stalls may outlast the short window that the app then has.
    expect(withoutOutages(logs.lines).slice(0, 2)).toEqual(
      matching(
        /^warn: .*Waiting for up to \d\.\d s: the registry of redis namespace "brand-new" is empty.*npx nestjs-snowflake-cli init --help /,
        /^log: .*Worker ID 0 of redis namespace "brand-new"/,
      ),
    );
  });

  it('logs one line when the worker ID is released', async () => {
    // A stop does not wait long for the answer to its last call: this store answers at once, on any machine.
    const store = memoryLeaseStore({ namespace: 'leaving' });
    const app = await apps.boot(
      { imports: [SnowflakeModule.forRoot(apps.options('leaving', { store }))] },
      logs,
    );
    await apps.close(app);
    expect(logs.lines.slice(1)).toEqual(
      matching(/^log: .*Released worker ID \d+ of memory namespace "leaving"/),
    );
  });
});

let redis: RedisServer;

/** What Node writes to its standard output while `work` runs. */
async function printedBy(work: () => Promise<void>): Promise<string[]> {
  const written: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0),
  );
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return written.flatMap((text) => text.split('\n')).filter((line) => line.includes('Snowflake'));
}

function appWith(...others: DynamicModule[]): Type {
  @Module({
    imports: [
      ...others,
      SnowflakeModule.forRoot({
        name: 'audit',
        store: redisLeaseStore({ url: redis.url, namespace: 'fields' }),
        // Fails soon when Redis is away, and gives calls more time than they take under load.
        lease: { windowMs: 60_000, renewEveryMs: 100, possibleLoss: 'ignore' },
      }),
    ],
  })
  class AppModule {}
  return AppModule;
}

/** Boots an app, takes its Redis away until a call has failed, and stops it. */
async function live(root: Type, pickLogger: (app: { get(token: Type): unknown }) => unknown): Promise<void> {
  const app = await NestFactory.createApplicationContext(root, { bufferLogs: true });
  app.useLogger(pickLogger(app) as LoggerService);
  const ids = app.get<SnowflakeIdMaker>('SnowflakeIdMaker:audit');
  await redis.kill();
  await waitFor('a failed call', TIMEOUT_MS, () => ids.status().lastError !== undefined);
  await app.close();
}

const linesOfALife = (fieldsOf: (text: unknown, fields: object) => object): unknown[] => [
  fieldsOf(expect.stringMatching(/^Worker ID 0 of redis namespace "fields": leased until/), {
    instance: 'audit',
    workerId: 0,
  }),
  fieldsOf(expect.stringMatching(/^A call to the lease store failed/), {
    instance: 'audit',
    workerId: 0,
    code: 'SNOWFLAKE_STORE_UNAVAILABLE',
  }),
];

describe('the log lines of an instance', () => {
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.stop());

  it('passes the fields of log lines on to nestjs-pino if Nest buffers them', async () => {
    const written: string[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written.push(chunk.toString());
        done();
      },
    });
    await live(appWith(LoggerModule.forRoot({ pinoHttp: { stream } })), (app) => app.get(PinoLogger));
    const records = written
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ context }) => context === 'SnowflakeModule:audit');
    expect(records).toEqual(
      expect.arrayContaining(
        linesOfALife((msg, fields) => expect.objectContaining({ msg, ...fields }) as object),
      ),
    );
  });

  it('passes the fields of log lines on to the JSON logger of Nest', async () => {
    const printed = await printedBy(() => live(appWith(), () => new ConsoleLogger({ json: true })));
    const records = printed.map((line) => JSON.parse(line) as { context?: string; message: unknown });
    const own = records.filter(({ context }) => context === 'SnowflakeModule:audit');
    expect(own.map(({ message }) => message)).toEqual(
      expect.arrayContaining(linesOfALife((message, fields) => ({ message, ...fields }))),
    );
  });

  it.each([true, false])(
    'prints one line of text through the text logger of Nest (colors: %s)',
    async (colors) => {
      const printed = await printedBy(() => live(appWith(), () => new ConsoleLogger({ colors })));
      const texts = printed.map((line) => stripVTControlCharacters(line));
      expect(texts).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/LOG \[SnowflakeModule:audit\] Worker ID 0 of .*renewed from now on\.$/),
          expect.stringMatching(/WARN \[SnowflakeModule:audit\] A call to the lease store failed\. .*\S$/),
        ]),
      );
      expect(texts.join('\n')).not.toMatch(/instance|LogLine|Object\(|\[object/);
    },
  );
});

const DAY_MS = 86_400_000;
/** Eight years, so that the epoch lies in the past whenever the layout ends. */
const LAYOUT = { timestampBits: 22, tickMs: 60_000, workerBits: 10, sequenceBits: 12 } as const;
const LIFETIME_MS = 2 ** LAYOUT.timestampBits * LAYOUT.tickMs;

/** Boots an app whose bit layout ends in so many days. @returns what it logs, and when it ends */
async function linesWhenLeft(days: number): Promise<{ lines: string[]; endsAt: Date }> {
  const epoch = Date.now() + days * DAY_MS - LIFETIME_MS;
  const captured = new CapturedLogs();
  const snowflake = SnowflakeModule.forRoot({
    store: staticLeaseStore({ workerId: 1 }),
    layout: LAYOUT,
    epoch,
    lease: { windowMs: 3_600_000, reserveMs: 600_000 },
  });
  const app = await Test.createTestingModule({ imports: [snowflake] })
    .setLogger(captured)
    .compile();
  const { expiresAt } = app.get(SnowflakeIdMaker).status();
  await app.close();
  expect(expiresAt).toEqual(new BitLayout(LAYOUT, epoch).expiresAt);
  return { lines: captured.lines.filter((line) => line.includes('ends at')), endsAt: expiresAt };
}

describe('the start of an app whose bit layout ends', () => {
  it.each([1, 30, 364])('warns %i days before the bit layout ends', async (days) => {
    const { lines, endsAt } = await linesWhenLeft(days);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^warn: \[SnowflakeModule\] The bit layout ends at /);
    expect(lines[0]).toContain(endsAt.toISOString());
    expect(lines[0]).toContain('Plan the move to a later epoch, in a new namespace.');
  });

  it.each([367, 3 * 365])('logs nothing %i days before the bit layout ends', async (days) => {
    expect((await linesWhenLeft(days)).lines).toEqual([]);
  });
});

const RUNBOOK = seeDocs('operations/store-unreachable');
const UNTIL = new Date('2030-01-01T00:01:00.000Z');
const RESERVE_MS = 10_000;
const error = new StoreUnavailableError('redis namespace "shop" is unavailable: connect ECONNREFUSED');

/** What is logged of an event. */
function lineOf(event: LeaseEvent, workerId?: number): string {
  const lines: string[] = [];
  const write = (line: unknown): void => void lines.push(String(line));
  Logger.overrideLogger({ log: write, warn: write, error: write } satisfies LoggerService);
  let notify: LeaseListener = () => undefined;
  const maker = {
    layout: new BitLayout(),
    status: () => ({
      store: 'redis namespace "shop"',
      workerId,
      leaseUntil: UNTIL,
      expiresAt: new Date('2093-09-06'),
    }),
    nowMs: () => UNTIL.getTime(),
    subscribe: (listener: LeaseListener) => (notify = listener),
  };
  new LeaseLogger('default', maker as unknown as SnowflakeIdMaker).start();
  notify(event);
  Logger.overrideLogger(false);
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

describe('the log of an outage', () => {
  it('shows until when IDs keep the true time, how many follow, and where to read what to do', () => {
    const line = lineOf({
      type: 'request-failed',
      error,
      clockTimeUntilMs: UNTIL.getTime() - RESERVE_MS,
      untilMs: UNTIL.getTime(),
    });
    expect(line).toContain(error.message);
    const { idsPerTick, tickMs } = new BitLayout();
    const reserve = ((RESERVE_MS / tickMs) * idsPerTick).toLocaleString('en');
    const values = ['2030-01-01T00:00:50.000Z', reserve, '2030-01-01T00:01:00.000Z'];
    expect(line).toMatch(new RegExp(values.join('.*')));
    expect(line.endsWith(RUNBOOK)).toBe(true);
  });

  it('shows no times to a process that has no lease yet', () => {
    const line = lineOf({ type: 'request-failed', error });
    expect(line).toContain(error.message);
    expect(line).not.toMatch(/\d{4}-\d\d-\d\dT/);
    expect(line.endsWith(RUNBOOK)).toBe(true);
  });

  it.each(['empty', 'history'] as const)(
    'leads a running process to the runbook, if the wait is for: %s',
    (reason) => {
      const waiting = { type: 'waiting', reason, waitMs: 62_000 } as const;
      expect(lineOf(waiting, 17)).toMatch(/^Waiting for up to 62\.0 s for a lease: .* Don't restart it\. /);
      expect(lineOf(waiting, 17).endsWith(RUNBOOK)).toBe(true);
      // A start may skip the wait, and a restart doesn't harm it.
      expect(lineOf(waiting)).toContain("lease.possibleLoss: 'ignore'");
    },
  );

  it.each(['degraded', 'exhausted'] as const)('leads from the state %s to the runbook', (to) => {
    expect(lineOf({ type: 'state', from: 'active', to }).endsWith(RUNBOOK)).toBe(true);
  });
});
