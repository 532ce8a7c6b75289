import { systemClock } from 'nestjs-snowflake/core';
import { deadlineIn } from '../../../libs/snowflake/src/kit/call-deadline.js';
import type { LeaseRequest } from '../../../libs/snowflake/src/lease/lease-store.js';
import { OwnConnection } from '../../../libs/snowflake/src/kit/sql/own-connection.js';
import type { SqlDialect } from '../../../libs/snowflake/src/kit/sql/dialects/dialect.js';
import { leaseTransaction } from '../../../libs/snowflake/src/stores/protocol/lease-transaction.js';
import { execute } from '../../../libs/snowflake/src/stores/protocol/registry-calls.js';
import { leaseContent } from '../../../libs/snowflake/src/stores/sql/sql-lease-store.js';
import { checkSqlOptions } from '../../../libs/snowflake/src/stores/sql/sql-options.js';
import { SqlSnapshot } from '../../../libs/snowflake/src/stores/sql/sql-snapshot.js';
import { releaseAtOnce, writeAtOnce } from '../../../libs/snowflake/src/stores/sql/write-at-once.js';
import { waitFor } from '../../support/wait.js';
import {
  claimOf,
  firstRequest,
  type Granted,
  granted,
  MAX_SKEW_MS,
  renewed,
  request,
} from '../redis-store/requests.js';
import { makeDatabase, type TestDatabase } from './support/databases.js';
import { Pooler } from './support/pooler.js';
import { Stores } from './support/stores.js';

const WAIT_MS = 20_000;
const WORKER_IDS = { workerCount: 2 };

let database: TestDatabase;
const stores = new Stores();

beforeEach(async () => {
  database = await makeDatabase('PostgreSQL', 'sql-at-once');
});
afterEach(async () => {
  await stores.close();
  await database?.remove();
});

const options = () => ({ dataSource: database.options, namespace: 'shop', createTable: true });

describe('a decision by a reading without a lock [promise: unique]', () => {
  /** Decides about a request, lets something happen, and then writes. Returns the reply; `undefined` if nothing was written. */
  async function decideThenWrite(wanted: LeaseRequest, meanwhile: () => Promise<unknown>) {
    const content = leaseContent(checkSqlOptions(options()));
    const connection = new OwnConnection(() => 'the store', content, systemClock);
    connection.open(WAIT_MS);
    try {
      const proposal = await connection.transact(async (registry) => {
        const snapshot = SqlSnapshot.of(registry);
        const reply = await execute(leaseTransaction(wanted), snapshot.expect(wanted));
        return snapshot.proposal(wanted, reply);
      });
      if (!proposal) throw new Error('expected a proposal');
      await meanwhile();
      return await connection.transact(({ statements, place }) => writeAtOnce(statements, place, proposal));
    } finally {
      await connection.close();
    }
  }

  const rows = () => database.admin.query('SELECT * FROM snowflake_lease ORDER BY worker_id');
  const change = (sql: string) => () => database.admin.query(sql);
  const ofHeader = (assignment: string) => change(`UPDATE snowflake_lease_namespace SET ${assignment}`);
  const ended = `UPDATE snowflake_lease SET reserved_until_ms = 1`;

  /** Requests of each kind, in a namespace that is ready for it. */
  const KINDS = {
    'a fresh worker ID': async () => {
      await granted(stores.open(options()).lease(firstRequest('first')));
      return request('newcomer');
    },
    'the longest offline worker ID': async () => {
      const store = stores.open(options());
      await granted(store.lease(firstRequest('first', WORKER_IDS)));
      await granted(store.lease(request('second', WORKER_IDS)));
      await database.admin.query(ended);
      return request('newcomer', WORKER_IDS);
    },
    'a renewal': async () => {
      const grant = await granted(stores.open(options()).lease(firstRequest('first')));
      return request('holder', claimOf(grant));
    },
  } as const;
  type Kind = keyof typeof KINDS;
  const kinds = Object.keys(KINDS) as Kind[];

  const CHANGES = {
    'another history has begun': ofHeader("history_id = 'restored'"),
    'the row of the namespace was written by somebody else': ofHeader('layout = layout'),
    'the namespace has another layout': ofHeader(
      "layout = 'another', written_by = (txid_current() & 4294967295)::text",
    ),
    'the store grants later': ofHeader(
      'grants_after_ms = grants_after_ms + 1, written_by = (txid_current() & 4294967295)::text',
    ),
    'somebody uses a longer window': ofHeader(
      'longest_window_ms = longest_window_ms + 1, written_by = (txid_current() & 4294967295)::text',
    ),
    'somebody uses a longer maxSkew': ofHeader(
      'longest_max_skew_ms = longest_max_skew_ms + 1, written_by = (txid_current() & 4294967295)::text',
    ),
  } as const;

  describe.each(kinds)('for %s', (kind) => {
    it('is carried out if nothing has changed (control)', async () => {
      const reply = await decideThenWrite(await KINDS[kind](), async () => undefined);
      expect(reply?.outcome).toBe(kind === 'a renewal' ? 'kept' : 'new');
    });

    it.each(Object.entries(CHANGES))('changes nothing if %s meanwhile', async (_, meanwhile) => {
      const wanted = await KINDS[kind]();
      const before = await rows();
      expect(await decideThenWrite(wanted, meanwhile)).toBeUndefined();
      expect(await rows()).toEqual(before);
    });
  });

  it.each(kinds.slice(0, 2))('does not grant %s if a row was restored meanwhile', async (kind) => {
    const wanted = await KINDS[kind]();
    expect(
      await decideThenWrite(wanted, change('UPDATE snowflake_lease SET version = version - 1')),
    ).toBeUndefined();
  });

  it('does not grant a fresh worker ID that has a row by now', async () => {
    const insert = `INSERT INTO snowflake_lease VALUES ('shop', 1, 1, 'lost', 0)`;
    expect(await decideThenWrite(await KINDS['a fresh worker ID'](), change(insert))).toBeUndefined();
  });

  it('does not grant an offline worker ID whose holder has come back', async () => {
    const wanted = await KINDS['the longest offline worker ID']();
    const back = change(`UPDATE snowflake_lease SET reserved_until_ms = ${Date.now() + WAIT_MS}`);
    expect(await decideThenWrite(wanted, back)).toBeUndefined();
  });

  it('does not renew a lease that was renewed or granted meanwhile', async () => {
    const wanted = await KINDS['a renewal']();
    const other = change(`UPDATE snowflake_lease SET fencing_token = 'other@1'`);
    expect(await decideThenWrite(wanted, other)).toBeUndefined();
  });

  it('does not renew a lease that is about to end by the time it writes', async () => {
    const grant = await granted(
      stores.open(options()).lease(firstRequest('first', { windowMs: MAX_SKEW_MS + 1000 })),
    );
    const wanted = request('holder', { ...claimOf(grant), windowMs: MAX_SKEW_MS + 1000 });
    const untilLate = () =>
      waitFor('the lease to be late', WAIT_MS, () => Date.now() > grant.untilMs - MAX_SKEW_MS);
    expect(await decideThenWrite(wanted, untilLate)).toBeUndefined();
  });

  it('grants the next worker ID if another newcomer has taken the first one meanwhile', async () => {
    const wanted = await KINDS['a fresh worker ID']();
    const other = stores.open(options());
    let taken: Granted | undefined;
    const reply = await decideThenWrite(
      wanted,
      async () => (taken = await granted(other.lease(request('other')))),
    );
    expect([taken?.workerId, reply?.outcome === 'new' && reply.workerId]).toEqual([1, 2]);
  });
});

describe.each(['PostgreSQL', 'MariaDB'] as const)(
  'a release in one message on %s [promise: unique]',
  (kind) => {
    beforeEach(async () => {
      await database.remove();
      database = await makeDatabase(kind, 'sql-release');
    });

    const rows = () => database.admin.query('SELECT * FROM snowflake_lease ORDER BY worker_id');
    const headers = () => database.admin.query('SELECT * FROM snowflake_lease_namespace');

    /** Releases what the first holder was granted, by this fencing token. */
    async function release(fencingTokenOf: (grant: Granted) => string): Promise<boolean> {
      const connection = new OwnConnection(
        () => 'the store',
        leaseContent(checkSqlOptions(options())),
        systemClock,
      );
      connection.open(WAIT_MS);
      try {
        const grant = await granted(stores.open(options()).lease(firstRequest('first')));
        const { workerId, untilMs } = grant;
        const shown = { workerId, fencingToken: fencingTokenOf(grant), lastUsedMs: untilMs - 1 };
        return await connection.transact(({ statements, place }) => releaseAtOnce(statements, place, shown));
      } finally {
        await connection.close();
      }
    }

    it('is carried out, and the sum of versions counts it', async () => {
      expect(await release(({ fencingToken }) => fencingToken)).toBe(true);
      const [row] = await rows();
      expect(row).toMatchObject({ fencing_token: '' });
      expect(await headers()).toMatchObject([{ version_sum: row.version }]);
      // Otherwise the next newcomer would wait.
      await granted(stores.open(options()).lease(request('next')));
    });

    it.each<[string, (grant: Granted) => string]>([
      ['of another holder', () => 'other@1'],
      ['that a renewal has replaced', ({ fencingToken }) => `${fencingToken}~1~other`],
      ['of a released row', () => ''],
    ])('changes nothing with a fencing token %s', async (_, fencingTokenOf) => {
      expect(await release(fencingTokenOf)).toBe(false);
      const [row] = await rows();
      expect(row.fencing_token).not.toBe('');
      expect(await headers()).toMatchObject([{ version_sum: row.version }]);
    });
  },
);

describe('a process that hangs in the middle of a call', () => {
  const locking = ({ requireWritten: _, ...dialect }: SqlDialect): SqlDialect => ({
    ...dialect,
    returnsFromWrites: false,
  });
  const CALLS = ['a request', 'a release'] as const;

  /** Whether another newcomer and a holder are answered while a process gets no reply to anything. */
  async function othersDuring(
    call: (typeof CALLS)[number],
    alter?: (dialect: SqlDialect) => SqlDialect,
  ): Promise<string> {
    const url = new URL((database.options as { url: string }).url);
    const pooler = await Pooler.start(Number(url.port));
    url.port = String(pooler.port);
    try {
      const holder = stores.open(options(), WAIT_MS, alter);
      const grant = await granted(holder.lease(firstRequest('holder')));
      const behind = { type: 'postgres', url: url.href } as const;
      const hanging = stores.open({ ...options(), dataSource: behind }, WAIT_MS, alter);
      const own = await granted(hanging.lease(request('connected')));
      const passed = pooler.rules.fromServer;
      let replies = 0;
      // The server executes what the process sends next, and the process hears no more of it.
      pooler.rules = { ...pooler.rules, fromServer: () => ((replies += 1), Buffer.alloc(0)) };
      const { workerId, fencingToken, untilMs: lastUsedMs } = own;
      const sent =
        call === 'a request'
          ? hanging.lease(request('hanging'))
          : hanging.release({ workerId, fencingToken, lastUsedMs });
      const hung = sent.catch(() => 'failed');
      await waitFor('a reply that is withheld', WAIT_MS, () => replies > 0);
      const hasty = stores.open(options(), 1000, alter);
      const outcome = await Promise.all([
        granted(hasty.lease(request('other'))),
        renewed(grant, holder.lease(request('later', claimOf(grant)), deadlineIn(systemClock, 1000))),
      ]).then(
        () => 'answered',
        () => 'not answered',
      );
      pooler.rules = { ...pooler.rules, fromServer: passed };
      await hanging.close();
      await hung;
      return outcome;
    } finally {
      await pooler.close();
    }
  }

  it.each(CALLS)('holds up neither holders nor newcomers: %s', async (call) => {
    expect(await othersDuring(call)).toBe('answered');
  });

  it.each(CALLS)('holds up all others if the decision needs the lock: %s (control)', async (call) => {
    expect(await othersDuring(call, locking)).toBe('not answered');
  });
});

describe('newcomers that wait in line', () => {
  const NEWCOMERS = 96;
  /** A line and the newcomers that have passed theirs, with some room: sessions are spread by their process IDs. */
  const LONGEST_LINE = 40;

  it('wait in short lines, are counted by inspect(), and their clock correction does not count the wait', async () => {
    await granted(stores.open(options()).lease(firstRequest('first')));
    const runner = database.admin.createQueryRunner();
    await runner.query('BEGIN');
    await runner.query(`SELECT pg_advisory_xact_lock(hashtext('snowflake'), hashtext('snowflake:shop'))`);
    const startedMs = Date.now();
    const deadlines = Array.from({ length: NEWCOMERS }, () => deadlineIn(systemClock, WAIT_MS, 3 * WAIT_MS));
    const replies = deadlines.map((deadline, index) =>
      granted(stores.open(options()).lease(request(`newcomer ${index}`), deadline)),
    );
    const all = Promise.all(replies);
    all.catch(() => undefined);
    const lines = async (): Promise<number[]> => {
      const found: { waiting: string }[] = await runner.query(
        `SELECT count(*) AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted GROUP BY objid`,
      );
      return found.map(({ waiting }) => Number(waiting));
    };
    await waitFor('all newcomers to wait', 3 * WAIT_MS, async () => {
      const waiting = await lines();
      return waiting.reduce((sum, line) => sum + line, 0) === NEWCOMERS;
    });
    const allWaitMs = Date.now();
    expect(Math.max(...(await lines()))).toBeLessThanOrEqual(LONGEST_LINE);
    const shortestWaitMs = async (): Promise<number> => {
      const [found]: { ms: string }[] = await runner.query(
        `SELECT 1000 * extract(epoch from min(clock_timestamp() - waitstart)) AS ms FROM pg_locks` +
          ` WHERE locktype = 'advisory' AND NOT granted`,
      );
      return Number(found?.ms);
    };
    // So a deadline that counts the wait begins before all of them wait, and one that doesn't begins later.
    await waitFor('the waits to be the longest part of the calls', 3 * WAIT_MS, async () => {
      return (await shortestWaitMs()) > allWaitMs - startedMs;
    });
    const seen = await stores.open(options()).inspect();
    expect(seen.waiting).toBe(NEWCOMERS);
    expect(seen.longestWaitMs).toBeGreaterThan(0);
    await runner.query('COMMIT');
    await runner.release();
    const grants = await all;
    const later = await stores.open(options()).inspect();
    expect([later.waiting, later.longestWaitMs]).toEqual([0, undefined]);
    for (const [index, { storeNowMs }] of grants.entries()) {
      expect(deadlines[index]?.beganMs).toBeGreaterThanOrEqual(allWaitMs - 5);
      expect(deadlines[index]?.beganMs).toBeLessThanOrEqual(storeNowMs + 5);
    }
  }, 120_000);
});
