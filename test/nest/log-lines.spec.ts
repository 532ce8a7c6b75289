import type { DynamicModule } from '@nestjs/common';
import { memoryLeaseStore, SnowflakeIdMaker, SnowflakeModule, type SnowflakeOptions } from 'nestjs-snowflake';
import { SHORT_WINDOW } from '../lease/support/short-window.js';
import { Holder } from '../lease/support/traffic.js';
import { waitFor } from '../support/wait.js';
import { Apps } from './support/apps.js';
import { CapturedLogs } from './support/captured-logs.js';
import { Renewals } from './support/renewals.js';

const PATIENCE_MS = 60_000;
/** Outlasts some failed calls, and gives calls more time than they take under load. */
const LONG_WINDOW = { ...SHORT_WINDOW, windowMs: 60_000, maxSkewMs: 10_000, callTimeoutMs: 5000 };
/** Ends within a test, but not while a machine stalls for some seconds. */
const OUTLASTED_WINDOW = { ...SHORT_WINDOW, windowMs: 7000 };

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

const trusting = (window: typeof SHORT_WINDOW): Partial<SnowflakeOptions> => ({
  lease: { ...window, possibleLoss: 'ignore' },
});

const failedCallsOf = (maker: SnowflakeIdMaker): number =>
  Object.values(maker.status().failedCalls).reduce((sum, count) => sum + count, 0);

/** Without what a call leaves behind that a busy machine does not answer in time. */
const withoutOutages = (lines: readonly string[]): string[] =>
  lines.filter((line) => !/A call to the lease store failed|is back after/.test(line));

const matching = (...patterns: RegExp[]): unknown[] =>
  patterns.map((pattern) => expect.stringMatching(pattern));

describe('the log of an app [promise: fail-closed]', () => {
  it('has one line for a worker ID that is acquired, and none for a renewal', async () => {
    const maker = await boot(
      SnowflakeModule.forRoot(apps.options('shop', trusting(LONG_WINDOW))),
      SnowflakeModule.forRoot({ ...apps.options('accounts', trusting(LONG_WINDOW)), name: 'audit' }),
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

  it('has one line when an outage begins and one when it ends, however many calls fail', async () => {
    const maker = await boot(SnowflakeModule.forRoot(apps.options('outage', trusting(LONG_WINDOW))));
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
          `^log: \\[SnowflakeModule\\] redis namespace "outage" is back after .* ${failures} failed calls`,
        ),
      ),
    );
  });

  it('has one line for each change of state in an outage longer than the window', async () => {
    const layout = { workerBits: 10, sequenceBits: 3 };
    const maker = await boot(
      SnowflakeModule.forRoot(apps.options('long-outage', { ...trusting(OUTLASTED_WINDOW), layout })),
    );
    const holder = new Holder(maker);
    const issueUntil = (what: string, check: () => boolean): Promise<true> =>
      waitFor(what, PATIENCE_MS, () => {
        for (let turn = 0; turn < 10; turn++) holder.issue();
        return check();
      });
    await apps.server.kill();
    await issueUntil('the end of the window', () => holder.failures > 50);
    await apps.server.restart();
    await issueUntil('the end of the outage', () => holder.eventsOf('recovered').length > 0);

    // A process that stalls may reach its reserve before a call has failed.
    const [, one = '', other = '', ...rest] = logs.lines;
    expect([one, other].sort()).toEqual(
      matching(
        /^warn: .*A call to the lease store failed/,
        /^warn: .*logical time from the reserve, until 20\S+Z/,
      ),
    );
    expect(rest).toEqual(
      matching(
        /^error: .*used up and redis namespace "long-outage" is unreachable.*LeaseExhaustedError/,
        /^warn: .*Worker ID 0 of redis namespace "long-outage": leased until .* replaces worker ID 0/,
        /^log: .*"long-outage" is back after/,
      ),
    );
  });

  it('says how long a start waits for an unknown history, why, and what can be done', async () => {
    const lease = { ...SHORT_WINDOW, possibleLoss: 'wait' as const };
    await boot(SnowflakeModule.forRoot(apps.options('brand-new', { lease })));
    expect(withoutOutages(logs.lines)).toEqual(
      matching(
        /^warn: .*Waiting for up to \d\.\d s: the registry of redis namespace "brand-new" is empty.*run npx nestjs-snowflake init before its first start/,
        /^log: .*Worker ID 0 of redis namespace "brand-new"/,
      ),
    );
  });

  it('has one line when the worker ID is given back', async () => {
    // A stop does not wait long for the answer to its last call: this store answers at once, on any machine.
    const store = memoryLeaseStore({ namespace: 'leaving' });
    const app = await apps.boot(
      { imports: [SnowflakeModule.forRoot(apps.options('leaving', { store }))] },
      logs,
    );
    await apps.close(app);
    expect(logs.lines.slice(1)).toEqual(
      matching(/^log: .*Released worker ID 0 of memory namespace "leaving"/),
    );
  });
});
