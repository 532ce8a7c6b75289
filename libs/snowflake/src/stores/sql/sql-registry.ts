import type { RegistryHeader, StoredRow } from '../registry-format.js';
import { readWholeNumber } from '../registry-format.js';
import type { LeaseTables } from './lease-tables.js';
import { Overtaken } from './overtaken.js';
import type { SqlDialect } from './sql-dialect.js';
import { Unreadable } from './unreadable.js';

/** A row of a result, by column. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Executes one statement; `?` stands for a parameter. */
export type Query = (sql: string, parameters?: readonly (string | number)[]) => Promise<readonly SqlRow[]>;

/** What executes the statements of a transaction. */
export interface Statements {
  /** Executes one that reads. */
  readonly query: Query;
  /** Executes one that writes: of how many rows. */
  readonly write: (sql: string, parameters: readonly (string | number)[]) => Promise<number>;
}

/** The row of one worker ID. */
export type WorkerRow = StoredRow & { readonly workerId: number };

/** The worker IDs from `first` on, up to but without `beyond`. */
export interface WorkerRange {
  readonly first: number;
  readonly beyond: number;
}

type Field = keyof RegistryHeader;

const COLUMNS: Readonly<Record<Field, string>> = {
  layout: 'layout',
  reign: 'reign',
  floor: 'floor_ms',
  floorReason: 'floor_reason',
  window: 'longest_window_ms',
  maxSkew: 'longest_max_skew_ms',
  fresh: 'fresh_worker_id',
};
const NUMBERS: ReadonlySet<Field> = new Set<Field>(['floor', 'window', 'maxSkew', 'fresh']);
const FIELDS = Object.keys(COLUMNS) as Field[];

/** What is stored for one namespace, as a transaction reads and writes it. */
export class SqlRegistry {
  constructor(
    private readonly statements: Statements,
    private readonly tables: LeaseTables,
    private readonly dialect: SqlDialect,
    private readonly namespace: string,
  ) {}

  /**
   * Waits for all other calls of the namespace to end and keeps those to come out until the transaction ends. Reads
   * what belongs to no single worker ID; `undefined` when nothing is stored, and then nothing is locked either.
   */
  async lock(): Promise<RegistryHeader | undefined> {
    const columns = FIELDS.map((field) => `${this.readable(field)} AS ${COLUMNS[field]}`).join(', ');
    const [row] = await this.statements.query(
      `SELECT ${columns} FROM ${this.tables.namespaces} WHERE namespace = ?${this.dialect.lockRow}`,
      [this.namespace],
    );
    if (!row) return undefined;
    const stored = FIELDS.map((field) => [field, textOf(row[COLUMNS[field]])] as const);
    return Object.fromEntries(stored.filter(([, value]) => value !== undefined));
  }

  /** Adds the namespace, with nothing about it, unless another process has done so. */
  async addNamespace(): Promise<void> {
    await this.statements.query(this.dialect.insertKey(this.tables.namespaces, 'namespace'), [
      this.namespace,
    ]);
  }

  /** The database's clock, Unix milliseconds. */
  async readClock(): Promise<number> {
    const [row] = await this.statements.query(`SELECT ${this.dialect.nowMs} AS now_ms`);
    return Number(row?.['now_ms']);
  }

  /** The row of one worker ID; `undefined` when it was never used. @throws Unreadable */
  async row(workerId: number): Promise<WorkerRow | undefined> {
    const [row] = await this.rows('AND worker_id = ?', [workerId]);
    return row;
  }

  /** Whether any worker ID was ever used. */
  async hasRows(): Promise<boolean> {
    return (await this.rows('ORDER BY worker_id LIMIT 1', [])).length > 0;
  }

  /** All rows, in order of worker ID. @throws Unreadable */
  async allRows(): Promise<WorkerRow[]> {
    return this.rows('ORDER BY worker_id', []);
  }

  /** The row whose window ends, or ended, first. The index gives it without a search. @throws Unreadable */
  async earliest(range: WorkerRange): Promise<WorkerRow | undefined> {
    return this.outermost(range, 'ASC');
  }

  /** The row whose window ends last. @throws Unreadable */
  async latest(range: WorkerRange): Promise<WorkerRow | undefined> {
    return this.outermost(range, 'DESC');
  }

  /** The first `limit` worker IDs of the range that have been used, in ascending order. */
  async usedWorkerIds({ first, beyond }: WorkerRange, limit: number): Promise<number[]> {
    const rows = await this.statements.query(
      `SELECT worker_id FROM ${this.tables.leases} WHERE namespace = ? AND worker_id >= ? AND worker_id <= ?` +
        ` ORDER BY worker_id LIMIT ${limit}`,
      [this.namespace, first, lastOf(beyond)],
    );
    return rows.map((row) => Number(row['worker_id']));
  }

  /** Rows whose deed begins with `prefix`. @throws Unreadable */
  async rowsOfDeeds({ first, beyond }: WorkerRange, prefix: string): Promise<WorkerRow[]> {
    const rows = await this.rows('AND worker_id >= ? AND worker_id <= ? AND substr(deed, 1, ?) = ?', [
      first,
      lastOf(beyond),
      [...prefix].length,
      prefix,
    ]);
    return rows.filter(({ deed }) => deed.startsWith(prefix));
  }

  async writeHeader(changes: ReadonlyMap<Field, string>): Promise<void> {
    if (changes.size === 0) return;
    const assignments = [...changes.keys()].map((field) => `${COLUMNS[field]} = ?`).join(', ');
    await this.statements.query(`UPDATE ${this.tables.namespaces} SET ${assignments} WHERE namespace = ?`, [
      ...changes.values(),
      this.namespace,
    ]);
  }

  /**
   * Writes the row of one worker ID if it still is as it was read, without the lock's help: two grants of one worker ID
   * must not both succeed where a table or a cluster locks nothing.
   *
   * @param before as it was read; `undefined` when it was not there
   * @throws Overtaken, or the database's own error for a key that is there already
   */
  async writeRow(row: WorkerRow, before: WorkerRow | undefined): Promise<void> {
    const { leases } = this.tables;
    const { workerId, reservedUntilMs, deed } = row;
    if (!before) {
      await this.statements.write(
        `INSERT INTO ${leases} (namespace, worker_id, reserved_until_ms, deed) VALUES (?, ?, ?, ?)`,
        [this.namespace, workerId, reservedUntilMs, deed],
      );
      return;
    }
    const written = await this.statements.write(
      `UPDATE ${leases} SET reserved_until_ms = ?, deed = ?` +
        ' WHERE namespace = ? AND worker_id = ? AND reserved_until_ms = ? AND deed = ?',
      [reservedUntilMs, deed, this.namespace, workerId, before.reservedUntilMs, before.deed],
    );
    // The app can have MySQL count only the rows that become different.
    const staysAsItWas = before.reservedUntilMs === reservedUntilMs && before.deed === deed;
    if (written !== 1 && !staysAsItWas) throw new Overtaken(workerId);
  }

  private async outermost(range: WorkerRange, order: 'ASC' | 'DESC'): Promise<WorkerRow | undefined> {
    // `+ 0` keeps the planner from the primary key, by which it would have to sort all rows.
    const [row] = await this.rows(
      'AND worker_id + 0 >= ? AND worker_id + 0 <= ?' +
        ` ORDER BY reserved_until_ms ${order}, worker_id ${order} LIMIT 1`,
      [range.first, lastOf(range.beyond)],
    );
    return row;
  }

  private async rows(rest: string, parameters: readonly (string | number)[]): Promise<WorkerRow[]> {
    const { textType } = this.dialect;
    const found = await this.statements.query(
      `SELECT worker_id, CAST(reserved_until_ms AS ${textType}) AS reserved_text, deed` +
        ` FROM ${this.tables.leases} WHERE namespace = ? ${rest}`,
      [this.namespace, ...parameters],
    );
    return found.map(readRow);
  }

  private readable(field: Field): string {
    const column = COLUMNS[field];
    return NUMBERS.has(field) ? `CAST(${column} AS ${this.dialect.textType})` : column;
  }
}

/** The number after the largest worker ID does not fit the type that PostgreSQL gives to what a column is compared with. */
function lastOf(beyond: number): number {
  return beyond - 1;
}

function readRow(row: SqlRow): WorkerRow {
  const [reserved = '', deed = ''] = [textOf(row['reserved_text']), textOf(row['deed'])];
  const reservedUntilMs = readWholeNumber(reserved);
  if (reservedUntilMs === undefined) throw new Unreadable(String(row['worker_id']), `${reserved} ${deed}`);
  return { workerId: Number(row['worker_id']), reservedUntilMs, deed };
}

/** The drivers give text as text; a text column of SQLite can hold anything. */
function textOf(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}
