import { setTimeout as delay } from 'node:timers/promises';
import type { DataSourceOptions } from 'typeorm';
import type { Clock } from '../../../libs/snowflake/src/core/clock/clock.js';
import { systemClock } from '../../../libs/snowflake/src/core/clock/system-clock.js';
import { leaseContent } from '../../../libs/snowflake/src/stores/sql/lease-content.js';
import type { LeaseTables } from '../../../libs/snowflake/src/stores/sql/lease-tables.js';
import { SqlConnection, type Work } from '../../../libs/snowflake/src/stores/sql/sql-connection.js';
import {
  checkSqlOptions,
  type SqlLeaseStoreOptions,
} from '../../../libs/snowflake/src/stores/sql/sql-options.js';
import type { SqlRegistry } from '../../../libs/snowflake/src/stores/sql/sql-registry.js';
import { waitFor } from '../../support/wait.js';
import { KINDS, makeDatabase, type TestDatabase } from './support/databases.js';

const HASTY_MS = 300;
const PATIENT_MS = 10_000;
const WAIT_MS = 10_000;
const LONGEST_PAUSE_MS = 25;

/** Keeps the pauses between two attempts of a call until the test ends them. */
class PausingClock implements Clock {
  readonly pauses: (() => void)[] = [];

  now(): number {
    return systemClock.now();
  }

  blockUntil(targetMs: number, maxBlockMs: number): boolean {
    return systemClock.blockUntil(targetMs, maxBlockMs);
  }

  schedule(delayMs: number, callback: () => void): ReturnType<Clock['schedule']> {
    if (delayMs > LONGEST_PAUSE_MS) return systemClock.schedule(delayMs, callback);
    this.pauses.push(callback);
    return { cancel: () => undefined };
  }
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe.each(KINDS)('a call on %s that has timed out', (kind) => {
  let database: TestDatabase;
  let connection: SqlConnection<LeaseTables, SqlRegistry> | undefined;
  const clock = new PausingClock();

  beforeEach(async () => {
    database = await makeDatabase(kind, 'sql-late');
    clock.pauses.length = 0;
  }, 120_000);
  afterEach(async () => {
    await connection?.close();
    await database?.remove();
  });

  function connect(dataSource: SqlLeaseStoreOptions['dataSource']): SqlConnection<LeaseTables, SqlRegistry> {
    const settings = checkSqlOptions({ dataSource, namespace: 'shop', createTable: true });
    connection = new SqlConnection('the store', leaseContent(settings), clock, (dialect) => dialect);
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
    expect(await database.desk.query('SELECT worker_id FROM snowflake_lease')).toEqual([]);
  }

  it('begins nothing on the session of the next one, when it has paused after a conflict', async () => {
    const store = connect(database.options);
    store.open(PATIENT_MS);
    await store.run(async (registry) => registry.lock());
    store.open(HASTY_MS);
    let attempts = 0;
    const late = store.run(async () => {
      attempts += 1;
      throw Object.assign(new Error('conflict'), { code: '40001' });
    });
    await expect(late).rejects.toThrow('conflict');
    store.open(PATIENT_MS);
    const next = callThatUndoes();
    const call = store.run(next.work);
    const outcome = expect(call).rejects.toThrow('changed my mind');
    await waitFor('the next call', WAIT_MS, next.isInside);
    for (const endPause of clock.pauses) endPause();
    await delay(50);
    next.letGo();
    await outcome;
    expect(attempts).toBe(1);
    await expectNothingStored();
  });

  it('begins nothing on the session of the next one, when the app names the database late', async () => {
    const { opened, open } = gate();
    let asked = 0;
    const store = connect(async (): Promise<DataSourceOptions> => {
      asked += 1;
      if (asked === 1) await opened;
      return database.options;
    });
    store.open(HASTY_MS);
    let attempts = 0;
    const late = store.run(async () => void (attempts += 1));
    await expect(late).rejects.toThrow(`no answer within ${HASTY_MS} ms`);
    store.open(PATIENT_MS);
    const next = callThatUndoes();
    const outcome = expect(store.run(next.work)).rejects.toThrow('changed my mind');
    await waitFor('the next call', 1000, next.isInside).catch(() => undefined);
    open();
    await waitFor('the next call', WAIT_MS, next.isInside);
    await delay(50);
    next.letGo();
    await outcome;
    expect([attempts, asked]).toEqual([0, 2]);
    await expectNothingStored();
  });

  it('sends nothing more on the session that it had', async () => {
    const store = connect(database.options);
    store.open(PATIENT_MS);
    await store.run(async (registry) => registry.lock());
    store.open(HASTY_MS);
    const { opened, open } = gate();
    const sent = gate();
    let refusal: unknown;
    const late = store.run(async (registry) => {
      await opened;
      await registry.header().catch((error: unknown) => (refusal = error));
      sent.open();
    });
    await expect(late).rejects.toThrow(`no answer within ${HASTY_MS} ms`);
    open();
    await sent.opened;
    expect(refusal).toBeInstanceOf(Error);
    expect(
      await database.desk.query("SELECT namespace FROM snowflake_lease_namespace WHERE namespace <> ''"),
    ).toEqual([]);
  });

  it('asks the app for the database again after a failure', async () => {
    let asked = 0;
    const store = connect((): DataSourceOptions => {
      asked += 1;
      if (asked === 1) throw new Error('no secret yet');
      return database.options;
    });
    store.open(PATIENT_MS);
    await expect(store.run(async (registry) => registry.lock())).rejects.toThrow('no secret yet');
    expect(await store.run(async (registry) => registry.lock())).toBeUndefined();
    expect(await store.run(async (registry) => registry.lock())).toBeUndefined();
    expect(asked).toBe(2);
  });
});
