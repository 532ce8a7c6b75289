import { setTimeout as delay } from 'node:timers/promises';
import { BitLayout } from 'nestjs-snowflake/core';
import { SnowflakeError, SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import pg from 'pg';
import { createIdDefault } from '../../../../../libs/snowflake-cli/src/commands/sql/id-default.js';
import { createStatements } from '../../../../../libs/snowflake-cli/src/commands/sql/tables.js';
import type { CleanUp } from '../../../../support/clean-up.js';
import { waitFor } from '../../../../support/wait.js';

const TIMEOUT_MS = 90_000;
const PAUSE_MS = 5;
const LAYOUT = new BitLayout();

/** Short enough for a test to see windows end, long enough for a busy machine to renew within them. */
export const LEASE = {
  windowMs: 12_000,
  renewEveryMs: 500,
  callTimeoutMs: 1500,
  maxSkewMs: 3000,
  reserveMs: 1500,
  acquireTimeoutMs: 60_000,
};

/** Its window doesn't end during a test, so that nothing but a comparison can refuse a copy. */
export const LONG_LEASE = { ...LEASE, windowMs: 600_000 };

/** Takes a mechanism away. */
export type Variant = (statement: string) => string;

export const unchanged: Variant = (statement) => statement;

/** The server is not compared with the one that the registry shows, and a recovery isn't noticed. */
export const withoutHistory: Variant = (statement) =>
  statement.replace(/ AND n\.history_id = .*(?=;)/, '').replace(' JOIN snowflake.id_uncrashed ON true', '');

/** The window never ends, as if nobody had to renew it. */
export const withoutWindow: Variant = (statement) =>
  statement.replaceAll('l.reserved_until_ms', '999999999999999');

/** The functions read a clock that a test can step, in the table `clock`. */
export const onClock: Variant = (statement) =>
  statement.replaceAll('clock_timestamp()', '(clock_timestamp() + (SELECT ahead FROM public.clock))');

/** On that clock, the recovery of the server from a crash isn't noticed. */
export const withoutRecovery: Variant = (statement) =>
  onClock(statement).replace(' JOIN snowflake.id_uncrashed ON true', '');

const PAUSE = 'pg_sleep(0.002) IS NOT NULL';

/** On that clock, a session pauses before and after each step of opening a block. */
export const pausedOnClock: Variant = (statement) =>
  onClock(statement)
    .replace('WHEN setval(', `WHEN ${PAUSE} AND setval(`)
    .replace('IS NOT NULL\n        THEN setval', `IS NOT NULL AND ${PAUSE} THEN setval`);

/** Sessions set the sequences whatever others do meanwhile. */
export const withoutLock: Variant = (statement) =>
  pausedOnClock(statement)
    .replace(/pg_try_advisory_lock\([^)]*\)/, 'true')
    .replace(/WHEN coalesce\(pg_sequence_last_value\('snowflake.id_block'\), -1\) <> block THEN false/, '');

/** Nothing is reserved: the function has a fixed worker ID. */
export const withoutReservation: Variant = (statement) =>
  statement.replace(
    /SELECT r\.worker_id[^;]*;/,
    `worker := 9; first_tick := 0; last_tick := ${LAYOUT.maxTick};`,
  );

/** Executes statements one after the other, each in a transaction of its own. Resolves to the rows of the last one. */
export async function execute<Row = Record<string, unknown>>(
  url: string,
  ...statements: readonly string[]
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows as Row[];
    return rows;
  } finally {
    await client.end();
  }
}

/** The statements of the default, without comments. */
export async function defaultStatements(variant = unchanged): Promise<string[]> {
  const all = await createIdDefault({ namespace: 'shop', layout: LAYOUT, datacenterId: 0 });
  return all.filter((statement) => !statement.startsWith('--')).map(variant);
}

/** Creates the tables of leases, the default, and a table with it. */
export async function install(url: string, variant = unchanged): Promise<void> {
  const tables = await createStatements({ database: 'postgres', holder: 'leases' });
  await execute(
    url,
    ...tables.filter((each) => !each.startsWith('--')),
    ...(await defaultStatements(variant)),
  );
  await execute(url, 'CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT snowflake.id(), n integer)');
}

/** An app with IDs of its own, which renews the reservation of its database. */
export class App {
  readonly ids: bigint[] = [];
  private isRunning = true;

  private constructor(
    private readonly maker: SnowflakeIdMaker,
    private readonly loop: Promise<void>,
  ) {}

  static async start(cleanUp: CleanUp, url: string, lease = LEASE): Promise<App> {
    const maker = new SnowflakeIdMaker({
      store: sqlLeaseStore({ url, namespace: 'shop' }),
      lease: { ...lease, possibleLoss: 'ignore' },
    });
    await maker.start();
    const state: { app?: App } = {};
    const loop = async (): Promise<void> => {
      await delay(0);
      while (state.app?.isRunning) {
        try {
          state.app.ids.push(...maker.nextBigInts(20));
        } catch (error) {
          if (!(error instanceof SnowflakeError)) throw error;
        }
        await delay(PAUSE_MS);
      }
    };
    const app = new App(maker, loop());
    state.app = app;
    cleanUp(() => app.stop());
    return app;
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.isRunning = false;
    await this.loop;
    await this.maker.stop();
  }
}

/** What a session executes again and again. Each row with an `id` is an ID that somebody has seen. */
export const WORK = {
  insert: ['INSERT INTO orders (n) SELECT n FROM generate_series(1, 20) n RETURNING id'],
  rollback: [
    'BEGIN',
    'INSERT INTO orders (n) SELECT n FROM generate_series(1, 20) n RETURNING id',
    'SAVEPOINT one',
    'SELECT snowflake.id() AS id',
    'ROLLBACK TO one',
    'SELECT snowflake.id() AS id',
    'ROLLBACK',
  ],
  timeout: ["SET statement_timeout = '3ms'", 'SELECT snowflake.id() AS id FROM generate_series(1, 200)'],
} as const;

/** A session that takes IDs in a loop, and connects again whenever it must. */
export class Session {
  readonly ids: bigint[] = [];
  /** The process ID of its backend. */
  backend = 0;
  private readonly refusals: string[] = [];
  private isRunning = true;
  private readonly loop: Promise<void>;

  private constructor(
    private readonly url: string,
    private readonly work: readonly string[],
  ) {
    this.loop = this.run();
  }

  static start(cleanUp: CleanUp, url: string, work: readonly string[] = WORK.insert): Session {
    const session = new Session(url, work);
    cleanUp(() => session.stop());
    return session;
  }

  /** Waits for more IDs. */
  async issues(more = 500): Promise<void> {
    const wanted = this.ids.length + more;
    const state = (): string => `${more} IDs of ${this.url}, after ${this.refusals.slice(-3).join(' | ')}`;
    await waitFor(state, TIMEOUT_MS, () => this.ids.length >= wanted);
  }

  /** Waits until the function refuses, after it was called once more. */
  async isRefused(): Promise<void> {
    const before = this.refusals.length;
    await waitFor(`a refusal by ${this.url}`, TIMEOUT_MS, () => this.refusals.length > before + 1);
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    await this.loop;
  }

  private async run(): Promise<void> {
    while (this.isRunning) {
      const client = new pg.Client({ connectionString: this.url });
      client.on('error', () => undefined);
      try {
        await client.connect();
        this.backend = Number((await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid);
        while (this.isRunning) await this.once(client);
      } catch {
        await delay(PAUSE_MS);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  }

  /** @throws what the connection throws when it has ended */
  private async once(client: pg.Client): Promise<void> {
    try {
      for (const statement of this.work) {
        const { rows } = await client.query(statement);
        for (const { id } of rows) this.ids.push(BigInt(id));
      }
    } catch (error) {
      const code = String(Reflect.get(Object(error), 'code'));
      if (code === '55000') this.refusals.push(String(Reflect.get(Object(error), 'detail')));
      await client.query('ROLLBACK');
      await delay(PAUSE_MS);
    }
  }
}
