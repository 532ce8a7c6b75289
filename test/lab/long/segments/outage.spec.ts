import { setImmediate as nextTurn } from 'node:timers/promises';
import { Segments, type SegmentStore, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { VirtualClock } from '../../../../libs/snowflake/src/store-testing/virtual-clock.js';
import {
  REPLICATED_KINDS,
  type ReplicatedKind,
} from '../../../integration/sql-store/support/replicated-database.js';
import { TcpProxy } from '../../../support/proxies/tcp-proxy.js';
import {
  type DatabaseServer,
  freePort,
  startMariaDb,
  startPostgres,
} from '../../../support/servers/index.js';

const BOUND_MS = 300_000;
const TICK_MS = 100;
const PER_SECOND = 100_000;
const PER_TICK = (PER_SECOND * TICK_MS) / 1000;
const MINUTE = 60;
const OUTAGE_MINUTES = 10;

/** Resolves when no call of a store is under way. */
class WatchedStore {
  private readonly calls = new Set<Promise<unknown>>();

  constructor(readonly inner: SegmentStore) {}

  get store(): SegmentStore {
    const { inner } = this;
    const claim: SegmentStore['claim'] = (...given) => this.watch(inner.claim(...given));
    const create: SegmentStore['create'] = (...given) => this.watch(inner.create(...given));
    return Object.assign(Object.create(inner) as SegmentStore, { claim, create });
  }

  async idle(): Promise<void> {
    while (this.calls.size > 0) await Promise.all(this.calls);
  }

  private watch<Reply>(call: Promise<Reply>): Promise<Reply> {
    const over = (): void => void this.calls.delete(settled);
    const settled = call.then(over, over);
    this.calls.add(settled);
    return call;
  }
}

/** A database that counts the statements that it executes, and can be cut off. */
class CountingDatabase {
  private constructor(
    private readonly kind: ReplicatedKind,
    private readonly server: DatabaseServer,
    private readonly admin: DataSource,
    private readonly router: TcpProxy,
  ) {}

  static async start(kind: ReplicatedKind): Promise<CountingDatabase> {
    const settings = { shared_preload_libraries: 'pg_stat_statements' };
    const server = await (kind === 'PostgreSQL' ? startPostgres({ settings }) : startMariaDb());
    const admin = await new DataSource(optionsOf(kind, server.url)).initialize();
    if (kind === 'PostgreSQL') await admin.query('CREATE EXTENSION pg_stat_statements');
    return new CountingDatabase(kind, server, admin, await TcpProxy.start(server.port));
  }

  get options(): DataSourceOptions {
    const url = new URL(this.server.url);
    url.port = String(this.router.port);
    return optionsOf(this.kind, url.href);
  }

  /** Statements so far, with a few of this admin. */
  async statements(): Promise<number> {
    const sql =
      this.kind === 'PostgreSQL'
        ? 'SELECT sum(calls) AS count FROM pg_stat_statements'
        : "SELECT variable_value AS count FROM information_schema.global_status WHERE variable_name = 'QUESTIONS'";
    const [row] = (await this.admin.query(sql)) as { count: string }[];
    return Number(row?.count);
  }

  async cutOff(): Promise<void> {
    this.router.leadTo(await freePort());
  }

  reconnect(): void {
    this.router.leadTo(this.server.port);
  }

  async stop(): Promise<void> {
    await this.admin.destroy();
    await this.router.close();
    await this.server.stop();
  }
}

function optionsOf(kind: ReplicatedKind, url: string): DataSourceOptions {
  return { type: kind === 'PostgreSQL' ? 'postgres' : 'mariadb', url };
}

/** Traffic of 100,000 numbers a second in virtual time, on a real database. */
class Traffic {
  private readonly clock = new VirtualClock();
  private readonly watched: WatchedStore;
  private readonly segments: Segments;
  private last = 0;
  starved = 0;
  repeated = 0;

  constructor(database: CountingDatabase, outageMinutes: number) {
    this.watched = new WatchedStore(sqlSegmentStore({ dataSource: database.options, createTable: true }));
    const options = { store: this.watched.store, tags: ['order'], outageMinutes, stopTimeoutMs: 0 };
    this.segments = new Segments(options, { clock: this.clock });
  }

  get source() {
    return this.segments.source('order');
  }

  /** Starts, and waits for the numbers of the first second. */
  async begin(): Promise<void> {
    await this.until(this.segments.start().then(() => this.source.ready(PER_SECOND)));
  }

  async run(seconds: number): Promise<void> {
    for (let tick = 0; tick < (seconds * 1000) / TICK_MS; tick++) {
      this.issue();
      await this.elapse();
    }
  }

  end(): Promise<void> {
    return this.until(this.segments.stop());
  }

  private async until(outcome: Promise<void>): Promise<void> {
    const state = { isOver: false };
    const over = outcome.finally(() => (state.isOver = true));
    while (!state.isOver) {
      await this.elapse();
      await nextTurn();
    }
    await over;
  }

  private issue(): void {
    const { source } = this;
    try {
      for (let call = 0; call < PER_TICK; call++) {
        const number = source.next();
        if (number <= this.last) this.repeated += 1;
        this.last = number;
      }
    } catch {
      this.starved += 1;
    }
  }

  /** The virtual time waits for the database at the end of each tick. */
  private async elapse(): Promise<void> {
    await this.clock.advance(TICK_MS);
    await this.watched.idle();
  }
}

describe.each(REPLICATED_KINDS)('100,000 numbers a second on %s [promise: segments]', (kind) => {
  let database: CountingDatabase;

  beforeEach(async () => {
    database = await CountingDatabase.start(kind);
  }, BOUND_MS);
  afterEach(() => database?.stop(), BOUND_MS);

  it(
    'take less than one statement per second, and outlast an unnoticed outage of ten minutes',
    async () => {
      const traffic = new Traffic(database, OUTAGE_MINUTES);
      await traffic.begin();
      await traffic.run(2 * MINUTE);

      const before = await database.statements();
      await traffic.run(10 * MINUTE);
      const statements = (await database.statements()) - before;
      expect(statements).toBeGreaterThan(0);
      expect(statements).toBeLessThan(10 * MINUTE);

      await database.cutOff();
      await traffic.run(OUTAGE_MINUTES * MINUTE);
      expect(traffic.source.status().lastError).toMatchObject({ retryable: true });
      database.reconnect();
      await traffic.run(MINUTE);
      expect(traffic.source.status().lastError).toBeUndefined();
      expect([traffic.starved, traffic.repeated]).toEqual([0, 0]);
      await traffic.end();
    },
    BOUND_MS,
  );

  it(
    'run out in the same outage if fewer minutes of numbers are available (control)',
    async () => {
      const traffic = new Traffic(database, OUTAGE_MINUTES / 2);
      await traffic.begin();
      await traffic.run(2 * MINUTE);
      await database.cutOff();
      await traffic.run(OUTAGE_MINUTES * MINUTE);
      expect(traffic.starved).toBeGreaterThan(0);
      await traffic.end();
    },
    BOUND_MS,
  );
});
