import { setTimeout as delay } from 'node:timers/promises';
import type { DataSourceOptions } from 'typeorm';
import type { Clock } from '../../../libs/snowflake/src/core/clock/clock.js';
import { systemClock } from '../../../libs/snowflake/src/core/clock/system-clock.js';
import { deadlineIn } from '../../../libs/snowflake/src/kit/call-deadline.js';
import { leaseContent } from '../../../libs/snowflake/src/stores/sql/sql-lease-store.js';
import type { LeaseTableName } from '../../../libs/snowflake/src/stores/sql/lease-tables.js';
import { OwnConnection, type Work } from '../../../libs/snowflake/src/kit/sql/own-connection.js';
import {
  checkSqlOptions,
  type SqlLeaseStoreOptions,
} from '../../../libs/snowflake/src/stores/sql/sql-options.js';
import type { SqlRegistry } from '../../../libs/snowflake/src/stores/sql/sql-registry.js';
import { waitFor } from '../../support/wait.js';
import { KINDS, makeDatabase, type TestDatabase } from './support/databases.js';

/** No real time: the test ends these calls, when they have come as far as they should. */
const HASTY_MS = 9000;
const LONG_TIMEOUT_MS = 60_000;
const WAIT_MS = 20_000;
const LONGEST_PAUSE_MS = 25;
/** Longer than it takes to close a connection. */
const SHORTEST_BOUND_MS = 1000;

/** Keeps the pauses between two attempts of a call, and the ends of hasty calls, until the test ends them. */
class PausingClock implements Clock {
  readonly pauses: (() => void)[] = [];
  private readonly bounds: (() => void)[] = [];

  now(): number {
    return systemClock.now();
  }

  blockUntil(targetMs: number, maxBlockMs: number): boolean {
    return systemClock.blockUntil(targetMs, maxBlockMs);
  }

  schedule(delayMs: number, callback: () => void): ReturnType<Clock['schedule']> {
    const isBound = delayMs > SHORTEST_BOUND_MS && delayMs <= HASTY_MS;
    if (delayMs > LONGEST_PAUSE_MS && !isBound) return systemClock.schedule(delayMs, callback);
    (isBound ? this.bounds : this.pauses).push(callback);
    return { cancel: () => undefined };
  }

  /** The time of all hasty calls is over. */
  endCalls(): void {
    for (const end of this.bounds.splice(0)) end();
  }

  reset(): void {
    this.pauses.length = 0;
    this.bounds.length = 0;
  }
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe.each(KINDS)('a call on %s that has timed out', (kind) => {
  let database: TestDatabase;
  let connection: OwnConnection<LeaseTableName, SqlRegistry> | undefined;
  const clock = new PausingClock();

  beforeEach(async () => {
    database = await makeDatabase(kind, 'sql-late');
    clock.reset();
  });
  afterEach(async () => {
    await connection?.close();
    await database?.remove();
  });

  function connect(
    dataSource: SqlLeaseStoreOptions['dataSource'],
  ): OwnConnection<LeaseTableName, SqlRegistry> {
    const settings = checkSqlOptions({ dataSource, namespace: 'shop', createTable: true });
    connection = new OwnConnection(() => 'the store', leaseContent(settings), clock);
    return connection;
  }

  /** A call that writes a row, waits until it is let go, and then changes its mind. */
  function callThatUndoes(): { work: Work<SqlRegistry, void>; isInside: () => boolean; letGo: () => void } {
    const { opened, open } = gate();
    let inside = false;
    return {
      isInside: () => inside,
      letGo: open,
      async work(registry) {
        await registry.write({
          header: new Map(),
          row: { workerId: 7, reservedUntilMs: 1, fencingToken: 'undone' },
        });
        inside = true;
        await opened;
        // What the late call has sent by now is executed before this.
        await registry.server();
        throw new Error('changed my mind');
      },
    };
  }

  async function expectNothingStored(): Promise<void> {
    expect(await database.admin.query('SELECT worker_id FROM snowflake_lease')).toEqual([]);
  }

  it('starts nothing on the session of the next call after a pause that followed a conflict', async () => {
    const store = connect(database.options);
    store.open(LONG_TIMEOUT_MS);
    await store.transact(async (registry) => registry.lock());
    store.open(HASTY_MS);
    let attempts = 0;
    const late = store.transact(async () => {
      attempts += 1;
      throw Object.assign(new Error('conflict'), { code: '40001' });
    });
    const conflict = expect(late).rejects.toThrow('conflict');
    await waitFor('the pause after the conflict', WAIT_MS, () => clock.pauses.length > 0);
    clock.endCalls();
    await conflict;
    store.open(LONG_TIMEOUT_MS);
    const next = callThatUndoes();
    const call = store.transact(next.work);
    const outcome = expect(call).rejects.toThrow('changed my mind');
    await waitFor('the next call', WAIT_MS, next.isInside);
    for (const endPause of clock.pauses) endPause();
    await delay(50);
    next.letGo();
    await outcome;
    expect(attempts).toBe(1);
    await expectNothingStored();
  });

  it('starts nothing on the session of the next call if the app returns the database late', async () => {
    const { opened, open } = gate();
    let asked = 0;
    const store = connect(async (): Promise<DataSourceOptions> => {
      asked += 1;
      if (asked === 1) await opened;
      return database.options;
    });
    store.open(HASTY_MS);
    let attempts = 0;
    const late = store.transact(async () => void (attempts += 1));
    const unanswered = expect(late).rejects.toThrow(`no answer within ${HASTY_MS} ms`);
    await waitFor('the app to be asked', WAIT_MS, () => asked === 1);
    clock.endCalls();
    await unanswered;
    store.open(LONG_TIMEOUT_MS);
    const next = callThatUndoes();
    const outcome = expect(store.transact(next.work)).rejects.toThrow('changed my mind');
    await waitFor('the next call', 1000, next.isInside).catch(() => undefined);
    open();
    await waitFor('the next call', WAIT_MS, next.isInside);
    await delay(50);
    next.letGo();
    await outcome;
    expect([attempts, asked]).toEqual([0, 2]);
    await expectNothingStored();
  });

  it('sends nothing more on its old session', async () => {
    const store = connect(database.options);
    store.open(LONG_TIMEOUT_MS);
    await store.transact(async (registry) => registry.lock());
    store.open(HASTY_MS);
    const { opened, open } = gate();
    const [begun, sent] = [gate(), gate()];
    let refusal: unknown;
    const late = store.transact(async (registry) => {
      begun.open();
      await opened;
      await registry.header().catch((error: unknown) => (refusal = error));
      sent.open();
    });
    const unanswered = expect(late).rejects.toThrow(`no answer within ${HASTY_MS} ms`);
    await begun.opened;
    clock.endCalls();
    await unanswered;
    open();
    await sent.opened;
    expect(refusal).toBeInstanceOf(Error);
    expect(
      await database.admin.query("SELECT namespace FROM snowflake_lease_namespace WHERE namespace <> ''"),
    ).toEqual([]);
  });

  it('lets no later call into the transaction of an earlier one from the queue', async () => {
    const store = connect(database.options);
    store.open(LONG_TIMEOUT_MS);
    await store.transact(async (registry) => registry.lock());
    const earlier = callThatUndoes();
    const undone = expect(store.transact(earlier.work)).rejects.toThrow('changed my mind');
    await waitFor('the earlier call', WAIT_MS, earlier.isInside);
    const hasty = store.transact(async () => undefined, deadlineIn(clock, HASTY_MS));
    const unanswered = expect(hasty).rejects.toThrow(`no answer within ${HASTY_MS} ms`);
    let isLaterInside = false;
    const later = store.transact(async (registry) => {
      isLaterInside = true;
      await registry.write({
        header: new Map(),
        row: { workerId: 8, reservedUntilMs: 1, fencingToken: 'kept' },
      });
    });
    const kept = expect(later).resolves.toBeUndefined();
    clock.endCalls();
    await unanswered;
    await waitFor('the later call', 500, () => isLaterInside).catch(() => undefined);
    earlier.letGo();
    await Promise.all([undone, kept]);
    const stored = await database.admin.query('SELECT fencing_token FROM snowflake_lease');
    expect(stored).toEqual([{ fencing_token: 'kept' }]);
  });

  it('requests the database from the app again after a failure', async () => {
    let asked = 0;
    const store = connect((): DataSourceOptions => {
      asked += 1;
      if (asked === 1) throw new Error('no secret yet');
      return database.options;
    });
    store.open(LONG_TIMEOUT_MS);
    await expect(store.transact(async (registry) => registry.lock())).rejects.toThrow(
      /the function dataSource threw Error, whose text is not shown/,
    );
    expect(await store.transact(async (registry) => registry.lock())).toBeUndefined();
    expect(await store.transact(async (registry) => registry.lock())).toBeUndefined();
    expect(asked).toBe(2);
  });
});
