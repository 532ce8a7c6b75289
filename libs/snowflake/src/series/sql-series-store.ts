import type { DataSource } from 'typeorm';
import { StoreRejectedError, VoidedSeriesNumberError } from '../core/index.js';
import { seriesDialectOf, type SeriesDialect } from './series-dialect.js';
import type { EntryRequest, SeriesEntry, SeriesKey, SeriesStore } from './series-store.js';
import { seriesTables, type SeriesTables } from './series-tables.js';

export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, unknown>>;

/** Executes a statement in the transaction of the caller. */
export interface SqlStatements {
  /** Returns the rows, and how many were written. */
  execute(
    sql: string,
    parameters: SqlValue[],
  ): Promise<{ readonly rows: SqlRow[]; readonly written: number }>;
}

const ENTRY_COLUMNS = 'series, scope, period, number, text, document_date, document, taken_at_ms';
/** Rows of one INSERT. Databases bound the number of parameters. */
const ROWS_AT_ONCE = 100;
const OF_KEY = 'series = ? AND scope = ? AND period = ?';

/** Keeps series in the tables of a TypeORM database. */
export class SqlSeriesStore implements SeriesStore {
  readonly dialect: SeriesDialect;
  readonly tables: SeriesTables;

  /** @throws InvalidOptionError if the database can't hold series */
  constructor(
    { options }: Pick<DataSource, 'options'>,
    private readonly statements: SqlStatements,
  ) {
    this.dialect = seriesDialectOf(options);
    this.tables = seriesTables(options, this.dialect);
  }

  async nowMs(): Promise<number> {
    const [row] = await this.query(`SELECT ${this.dialect.sql.nowMs} AS now_ms`);
    return Number(row?.['now_ms']);
  }

  async take(key: SeriesKey, requests: readonly EntryRequest[]): Promise<SeriesEntry[]> {
    if (requests.some(({ document }) => document !== undefined)) return this.takeForDocuments(key, requests);
    const last = await this.advance(key, requests.length);
    const first = last - requests.length + 1;
    const entries = requests.map((request, index) => entryOf(key, first + index, request));
    for (let at = 0; at < entries.length; at += ROWS_AT_ONCE) {
      await this.insert(key, entries.slice(at, at + ROWS_AT_ONCE));
    }
    return entries;
  }

  async last(key: SeriesKey): Promise<number> {
    const sql = `SELECT last_number FROM ${this.tables.counters} WHERE ${OF_KEY}`;
    const [row] = await this.query(sql, valuesOf(key));
    return row === undefined ? 0 : counted(row);
  }

  async void(series: string, scope: string, text: string, reason: string): Promise<boolean> {
    const { entries } = this.tables;
    const ofText = 'series = ? AND scope = ? AND text = ?';
    await this.query(
      `UPDATE ${entries} SET void_reason = ?, voided_at_ms = ${this.dialect.sql.nowMs}` +
        ` WHERE ${ofText} AND void_reason IS NULL`,
      [reason, series, scope, text],
    );
    const [row] = await this.query(`SELECT number FROM ${entries} WHERE ${ofText}`, [series, scope, text]);
    return row !== undefined;
  }

  /** Executes a statement with `?` for its parameters. */
  async query(sql: string, parameters: SqlValue[] = []): Promise<SqlRow[]> {
    return (await this.execute(sql, parameters)).rows;
  }

  /** Locks the counter first, so that no other transaction of this counter can come between. */
  private async takeForDocuments(key: SeriesKey, requests: readonly EntryRequest[]): Promise<SeriesEntry[]> {
    const before = await this.advance(key, 0);
    let last = before;
    const entries: SeriesEntry[] = [];
    for (const request of requests) {
      const found = await this.claimDocument(key, request.document, last + 1);
      if (found) {
        entries.push(found);
        continue;
      }
      last += 1;
      const entry = entryOf(key, last, request);
      await this.insert(key, [entry], request.document);
      entries.push(entry);
    }
    if (last > before) await this.advance(key, last - before);
    return entries;
  }

  /**
   * Raises the counter by `count`, and locks it until the end of the transaction.
   *
   * @returns its last number
   */
  private async advance(key: SeriesKey, count: number): Promise<number> {
    const { sql, addToCounter, returnsCounter } = this.dialect;
    const alias = addToCounter.includes('counter.') ? ' AS counter' : '';
    const insert = `INSERT INTO ${this.tables.counters}${alias} (series, scope, period, last_number) VALUES (?, ?, ?, ?)`;
    const added = addToCounter.includes('?') ? [count] : [];
    const returned = await this.query(insert + addToCounter, [...valuesOf(key), count, ...added]);
    const read = `SELECT last_number FROM ${this.tables.counters} WHERE ${OF_KEY}${sql.lockRow}`;
    const [row] = returnsCounter ? returned : await this.query(read, valuesOf(key));
    return counted(row, count);
  }

  /**
   * Gives the document its number, unless it has one, which this returns. Waits for another transaction that does so.
   *
   * @throws VoidedSeriesNumberError
   */
  private async claimDocument(
    key: SeriesKey,
    document: string | undefined,
    number: number,
  ): Promise<SeriesEntry | undefined> {
    if (document === undefined) return undefined;
    const { series, scope, period } = key;
    const [begin, end] = this.dialect.insertUnlessExists;
    const { documents, entries } = this.tables;
    const { written } = await this.execute(
      `${begin} ${documents} (series, scope, document, period, number) VALUES (?, ?, ?, ?, ?)${end}`,
      [series, scope, document, period, number],
    );
    if (written === 1) return undefined;
    const [found] = await this.query(
      `SELECT e.period, e.number, e.text, e.document_date, e.void_reason FROM ${documents} d JOIN ${entries} e` +
        ' ON e.series = d.series AND e.scope = d.scope AND e.period = d.period AND e.number = d.number' +
        ` WHERE d.series = ? AND d.scope = ? AND d.document = ?${this.dialect.sql.lockRow}`,
      [series, scope, document],
    );
    if (!found) throw new Error('a document has no entry');
    const text = String(found['text']);
    if (found['void_reason'] !== null) throw new VoidedSeriesNumberError(series, text, document);
    return {
      period: String(found['period']),
      number: Number(found['number']),
      text,
      date: String(found['document_date']),
    };
  }

  private async insert(
    { series, scope, period }: SeriesKey,
    entries: readonly SeriesEntry[],
    document: string | null = null,
  ): Promise<void> {
    const row = `(?, ?, ?, ?, ?, ?, ?, ${this.dialect.sql.nowMs})`;
    await this.query(
      `INSERT INTO ${this.tables.entries} (${ENTRY_COLUMNS}) VALUES ${entries.map(() => row).join(', ')}`,
      entries.flatMap(({ number, text, date }) => [series, scope, period, number, text, date, document]),
    );
  }

  private execute(sql: string, parameters: SqlValue[]): Promise<{ rows: SqlRow[]; written: number }> {
    let position = 0;
    const text = sql.replaceAll('?', () => this.dialect.sql.parameter(++position));
    return this.statements.execute(text, parameters);
  }
}

function entryOf({ period }: SeriesKey, number: number, { date, write }: EntryRequest): SeriesEntry {
  return { period, number, text: write(number), date };
}

/** Returns the number of a counter. @throws StoreRejectedError if it is not exact, or somebody removed the counter */
function counted(row: SqlRow | undefined, least = 0): number {
  const last = row?.['last_number'];
  if (Number.isSafeInteger(Number(last)) && Number(last) >= least) return Number(last);
  const remedy = 'Correct last_number in the table snowflake_series.';
  throw new StoreRejectedError(
    `A counter of a series counts from ${least} to ${Number.MAX_SAFE_INTEGER} (found: ${String(last)}). ${remedy}`,
  );
}

function valuesOf({ series, scope, period }: SeriesKey): SqlValue[] {
  return [series, scope, period];
}
