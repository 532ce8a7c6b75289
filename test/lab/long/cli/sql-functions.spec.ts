import { randomBytes } from 'node:crypto';
import libsql from 'libsql';
import {
  BitLayout,
  type BitLayoutOptions,
  IdDecoder,
  layoutPreset,
  layoutPresets,
  MAX_ID,
} from 'nestjs-snowflake/core';
import { prepareDatabase } from 'nestjs-snowflake/typeorm';
import { DataSource, type QueryRunner } from 'typeorm';
import { databaseFor } from '../../../support/servers/index.js';
import { runHere } from '../../../../libs/snowflake-cli/test/run-here.js';

const RANDOM_IDS = 10_000;
const INSTANTS = 500;
/** Until then, every database holds each millisecond exactly. */
const EXACT_UNTIL_MS = Date.UTC(4253, 0);
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const custom = (options: BitLayoutOptions, epoch?: string): BitLayout => new BitLayout(options, epoch);

const LAYOUTS: readonly BitLayout[] = [
  new BitLayout(),
  ...Object.keys(layoutPresets).map(
    (name) => new BitLayout(layoutPreset(name).layout, layoutPreset(name).epoch),
  ),
  custom({ timestampBits: 45, workerBits: 13, sequenceBits: 5 }, '2020-02-29T23:59:59.999Z'),
  custom({ datacenterBits: 3, workerBits: 7, sequenceBits: 11, order: ['sequence', 'worker', 'datacenter'] }),
  custom({ timestampBits: 22, workerBits: 0, sequenceBits: 31, tickMs: 60_000 }, '1969-07-20T20:17:40.001Z'),
  custom({
    timestampBits: 53,
    datacenterBits: 2,
    workerBits: 0,
    sequenceBits: 8,
    order: ['worker', 'sequence', 'datacenter'],
  }),
  custom({ timestampBits: 30, workerBits: 31, sequenceBits: 2, tickMs: 7 }, '1000-01-01'),
];

const random = (): bigint => randomBytes(8).readBigUInt64BE();

/** Random IDs of 63 and of 53 bits, the last ID of each layout with its neighbors, and what is no ID anywhere. */
const IDS: readonly bigint[] = [
  ...new Set([
    ...Array.from({ length: RANDOM_IDS }, () => random() >> 1n),
    ...Array.from({ length: RANDOM_IDS }, () => random() >> 11n),
    ...LAYOUTS.flatMap((layout) => {
      const shift = BigInt(layout.field('timestamp').shift);
      const beyond = (BigInt(layout.maxTick) + 1n) << shift;
      return [(1n << shift) - 1n, beyond - 1n, ...(beyond > MAX_ID ? [] : [beyond])];
    }),
    0n,
    1n,
    -1n,
    -(2n ** 40n),
    -(2n ** 63n),
    MAX_ID,
  ]),
];

/** Time in milliseconds, worker ID, sequence, and datacenter ID if the layout has one. */
type Fields = readonly (string | number | null)[];

/** A database that has the functions, or the expressions on SQLite. */
abstract class Subject {
  private source?: DataSource;
  protected runner!: QueryRunner;
  /** The expressions of the printed query, on SQLite. */
  protected expressions: Readonly<Record<string, string>> = {};

  abstract readonly dialect: 'postgres' | 'mariadb' | 'sqlite';
  protected abstract connect(): Promise<DataSource>;
  /** Returns the time of `sql` in milliseconds. */
  protected abstract msOf(sql: string): string;
  /** Returns an instant as a literal. */
  abstract instant(at: string): string;
  abstract of(name: string, argument: string): string;
  /** Returns how the database runs a query. */
  abstract plan(sql: string): Promise<string>;

  async open(): Promise<void> {
    this.source = await (await this.connect()).initialize();
    this.runner = this.source.createQueryRunner();
    const integer = this.dialect === 'sqlite' ? 'integer' : 'bigint';
    await this.query(`CREATE TABLE ids (id ${integer} PRIMARY KEY)`);
    for (let start = 0; start < IDS.length; start += 5000) {
      const values = IDS.slice(start, start + 5000).map((id) => `(${id})`);
      await this.query(`INSERT INTO ids VALUES ${values.join()}`);
    }
    await this.query(this.dialect === 'mariadb' ? 'ANALYZE TABLE ids' : 'ANALYZE ids');
    await this.query('CREATE TABLE instants (no int PRIMARY KEY, at varchar(40))');
  }

  async close(): Promise<void> {
    await this.runner?.release();
    await this.source?.destroy();
  }

  query<Row = Record<string, unknown>>(sql: string): Promise<Row[]> {
    return this.runner.query(sql) as Promise<Row[]>;
  }

  /** Runs what the command prints for a layout. */
  async install(layout: BitLayout): Promise<void> {
    const { code, stdout, stderr } = await runHere([
      'sql',
      'functions',
      '--dialect',
      this.dialect,
      '--layout',
      layout.fingerprint,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const statement of stdout.replaceAll(/^--.*\n/gm, '').split(/;\n/)) {
      if (statement.trim() !== '') await this.run(statement);
    }
  }

  protected run(statement: string): Promise<unknown> {
    return this.query(statement);
  }

  /** Returns the fields of every ID in the table. */
  async read(layout: BitLayout): Promise<Map<string, Fields>> {
    const datacenter = layout.field('datacenter').bits > 0 ? this.of('datacenter_id', 'id') : "'none'";
    const rows = await this.query<Record<string, string | number | null>>(
      `SELECT ${this.text('id')} AS id, ${this.msOf(this.of('time', 'id'))} AS time, ${datacenter} AS datacenter_id,
       ${this.of('worker_id', 'id')} AS worker_id, ${this.of('sequence', 'id')} AS sequence FROM ids`,
    );
    return new Map(
      rows.map(
        ({
          id,
          time = null,
          datacenter_id: datacenterId = null,
          worker_id: workerId = null,
          sequence = null,
        }) => {
          const fields = [time === null ? null : Number(time), workerId, sequence];
          return [String(id), datacenterId === 'none' ? fields : [...fields, datacenterId]];
        },
      ),
    );
  }

  /** What the database reads for an ID that the library decodes to this time. */
  abstract timeOf(timestampMs: number, read: number | null): number | null;

  async firstIdsAt(instants: readonly string[]): Promise<(string | null)[]> {
    await this.query('DELETE FROM instants');
    await this.query(
      `INSERT INTO instants VALUES ${instants.map((at, no) => `(${no}, '${this.written(at)}')`).join()}`,
    );
    const rows = await this.query<{ first: unknown }>(
      `SELECT ${this.text(this.of('first_id', this.readInstant('at')))} AS first FROM instants ORDER BY no`,
    );
    return rows.map(({ first }) => (first === null ? null : String(first)));
  }

  protected text(sql: string): string {
    return `CAST(${sql} AS CHAR(30))`;
  }
  protected written(at: string): string {
    return at.replace(/^\+/, '');
  }
  protected readInstant(column: string): string {
    return column;
  }
}

class Postgres extends Subject {
  readonly dialect = 'postgres';
  protected async connect(): Promise<DataSource> {
    const url = await databaseFor('postgres', 'sql functions');
    return new DataSource({ type: 'postgres', url, extra: { options: '-c timezone=Asia/Kathmandu' } });
  }
  protected msOf(sql: string): string {
    return `extract(epoch FROM ${sql}) * 1000`;
  }
  instant(at: string): string {
    return `'${at}'`;
  }
  of(name: string, argument: string): string {
    return `snowflake.${name}(${argument})`;
  }
  protected override text(sql: string): string {
    return `(${sql})::text`;
  }
  protected override readInstant(column: string): string {
    return `${column}::timestamptz`;
  }
  timeOf(timestampMs: number, read: number | null): number {
    const isRounded = timestampMs > EXACT_UNTIL_MS && Math.abs(Number(read) - timestampMs) <= 1;
    return isRounded ? Number(read) : timestampMs;
  }
  async plan(sql: string): Promise<string> {
    return JSON.stringify(await this.query(`EXPLAIN (VERBOSE) ${sql}`));
  }
}

class MariaDb extends Subject {
  readonly dialect = 'mariadb';
  protected async connect(): Promise<DataSource> {
    return new DataSource({
      type: 'mariadb',
      url: await databaseFor('mariadb', 'sql functions'),
      timezone: 'Z',
      poolSize: 1,
    });
  }
  override async open(): Promise<void> {
    await super.open();
    await this.query("SET time_zone = '+05:45'");
  }
  protected msOf(sql: string): string {
    return `CAST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', ${sql}) / 1000 AS DECIMAL(30, 3))`;
  }
  instant(at: string): string {
    return `'${this.written(at)}'`;
  }
  of(name: string, argument: string): string {
    return `snowflake_${name}(${argument})`;
  }
  protected override written(at: string): string {
    return at.replace('T', ' ').replace('Z', '');
  }
  timeOf(timestampMs: number): number | null {
    return timestampMs > LAST_MS ? null : timestampMs;
  }
  async plan(sql: string): Promise<string> {
    return JSON.stringify(await this.query(`EXPLAIN ${sql}`));
  }
}

class Sqlite extends Subject {
  readonly dialect = 'sqlite';
  protected async connect(): Promise<DataSource> {
    return new DataSource({ type: 'better-sqlite3', driver: libsql, database: ':memory:', prepareDatabase });
  }
  protected override async run(statement: string): Promise<void> {
    expect(await this.query(statement)).toHaveLength(1);
    this.expressions = Object.fromEntries(
      [...statement.matchAll(/^ {2}(CASE .* END) AS (\w+),?$/gm)].map(([, sql = '', name = '']) => [
        name,
        sql,
      ]),
    );
  }
  protected msOf(sql: string): string {
    return `round((julianday(${sql}) - 2440587.5) * 86400000)`;
  }
  instant(at: string): string {
    return `'${at}'`;
  }
  of(name: string, argument: string): string {
    const sql = this.expressions[name] ?? `(no ${name})`;
    return `(${sql.replaceAll(name === 'first_id' ? /\bat\b/g : /\bid\b/g, argument)})`;
  }
  timeOf(timestampMs: number): number | null {
    return timestampMs > LAST_MS ? null : timestampMs;
  }
  async plan(sql: string): Promise<string> {
    return JSON.stringify(await this.query(`EXPLAIN QUERY PLAN ${sql}`));
  }
}

function decoded(layout: BitLayout, id: bigint, database: Subject, read: Fields): Fields {
  const decoder = new IdDecoder(layout);
  const hasDatacenter = layout.field('datacenter').bits > 0;
  try {
    const { timestampMs, datacenterId, workerId, sequence } = decoder.decode(id);
    const time = database.timeOf(timestampMs, read[0] as number | null);
    return hasDatacenter ? [time, workerId, sequence, datacenterId!] : [time, workerId, sequence];
  } catch {
    return new Array<null>(hasDatacenter ? 4 : 3).fill(null);
  }
}

function randomInstants(layout: BitLayout): string[] {
  const lastMs = layout.startOfTick(layout.maxTick);
  const spanMs = Math.min(lastMs, EXACT_UNTIL_MS) - layout.epochMs;
  const edges = [-1, 0, 1, layout.tickMs - 1, layout.tickMs, layout.tickMs + 1].map(
    (ms) => layout.epochMs + ms,
  );
  const end = [-1, 0, 1].map((ms) => lastMs + ms);
  const within = Array.from({ length: INSTANTS }, () => layout.epochMs + Number(random() % BigInt(spanMs)));
  return [...edges, ...end, ...within]
    .filter((ms) => ms <= LAST_MS && ms >= Date.UTC(1000, 0))
    .map((ms) => new Date(ms).toISOString());
}

function firstIdAt(layout: BitLayout, at: string): string | null {
  try {
    return new IdDecoder(layout).idRange(at, at).first;
  } catch {
    return null;
  }
}

describe.each([new Postgres(), new MariaDb(), new Sqlite()])('the SQL functions on $dialect', (database) => {
  beforeAll(() => database.open());
  afterAll(() => database.close());

  it.each(LAYOUTS.map((layout) => [layout.fingerprint, layout] as const))(
    'read IDs as decode() does, and return NULL where it throws: %s',
    async (_, layout) => {
      await database.install(layout);
      const rows = await database.read(layout);
      expect(rows.size).toBe(IDS.length);
      let valid = 0;
      for (const id of IDS) {
        const read = rows.get(String(id)) ?? [];
        const expected = decoded(layout, id, database, read);
        // toEqual() for each ID would take a minute.
        if (read.join() !== expected.join()) expect([id, read]).toEqual([id, expected]);
        if (expected[1] !== null) valid++;
      }
      expect(valid).toBeGreaterThan(RANDOM_IDS);
    },
  );

  it.each(LAYOUTS.map((layout) => [layout.fingerprint, layout] as const))(
    'return the first ID of an instant as idRange() does: %s',
    async (_, layout) => {
      await database.install(layout);
      const instants = randomInstants(layout);
      await expect(database.firstIdsAt(instants)).resolves.toEqual(
        instants.map((at) => firstIdAt(layout, at)),
      );
    },
  );

  it('round an instant between two milliseconds up', async () => {
    const layout = new BitLayout();
    await database.install(layout);
    // The times of SQLite are milliseconds.
    const at = database.dialect === 'sqlite' ? '2026-11-21T10:19:57.898Z' : '2026-11-21T10:19:57.897001Z';
    await expect(database.firstIdsAt([at])).resolves.toEqual([
      new IdDecoder(layout).firstIdAt('2026-11-21T10:19:57.898Z'),
    ]);
  });

  it('return NULL for NULL', async () => {
    await database.install(new BitLayout());
    const [row] = await database.query(
      `SELECT ${database.of('time', 'NULL')} AS t, ${database.of('sequence', 'NULL')} AS s, ${database.of('first_id', 'NULL')} AS f`,
    );
    expect(row).toEqual({ t: null, s: null, f: null });
  });

  it('let a query by time use the primary key', async () => {
    await database.install(new BitLayout());
    const [from, to] = ['2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'].map((at) =>
      database.of('first_id', database.instant(at)),
    );
    const usesKey = {
      postgres: /Index Cond/,
      mariadb: /"range".*"PRIMARY"/,
      sqlite: /SEARCH ids USING.*PRIMARY KEY \(rowid>. AND rowid<.\)/,
    }[database.dialect];
    expect(await database.plan(`SELECT id FROM ids WHERE id >= ${from} AND id < ${to}`)).toMatch(usesKey);
    const fields = ['time', 'worker_id', 'sequence'].map((name) => database.of(name, 'id'));
    if (database.dialect === 'postgres') {
      // It has inlined them.
      expect(await database.plan(`SELECT ${fields.join()} FROM ids WHERE id >= ${from}`)).not.toContain(
        'snowflake.',
      );
    }
    const now = {
      postgres: "now() - interval '1 day'",
      mariadb: 'UTC_TIMESTAMP(6) - INTERVAL 1 DAY',
      sqlite: "'now'",
    };
    expect(
      await database.plan(`SELECT id FROM ids WHERE id < ${database.of('first_id', now[database.dialect])}`),
    ).toMatch(new RegExp(usesKey.source.replace('>. AND rowid<', '<')));
    // Control: the key is of no use if each row is decoded.
    expect(
      await database.plan(
        `SELECT id FROM ids WHERE ${database.of('time', 'id')} < ${database.instant('2026-11-21')}`,
      ),
    ).not.toMatch(usesKey);
  });
});
