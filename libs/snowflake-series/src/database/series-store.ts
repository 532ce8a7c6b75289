import { monotonicMs } from 'nestjs-snowflake/internal/core/clock/system-clock';
import { StoreRejectedError } from 'nestjs-snowflake/store';
import { VoidedSeriesNumberError } from '../core/series-errors.js';
import type { SqlRow, Statements } from 'nestjs-snowflake/internal/kit/sql/statements';
import type { SeriesDatabase } from './series-database.js';
import type { SeriesTableName } from './series-tables.js';
import type { SeriesNumberTaken } from './series-types.js';

/** The counter of a series. */
export interface SeriesKey {
  readonly series: string;
  /** For whom it counts; empty if for all. */
  readonly scope: string;
  readonly period: string;
}

/** A request for the next number. */
export interface EntryRequest {
  /** The document's date, as `2026-11-23`. */
  readonly date: string;
  /** The key of the document, by which a repeated request finds its number. */
  readonly document?: string | undefined;
  /** Returns the text of the number. @throws SeriesExhaustedError, InvalidOptionError */
  write(number: number): string;
}

const ENTRY_COLUMNS = 'series, scope, period, number, text, document_date, document, taken_at_ms';
/** Rows of one INSERT. Databases bound the number of parameters. */
const ROWS_AT_ONCE = 100;
const KEY = ['series', 'scope', 'period'] as const;
const OF_KEY = 'series = ? AND scope = ? AND period = ?';

/** Called with how long the transaction waited for a counter of the series, even if the wait ended in an error. */
export type WaitListener = (series: string, waitedMs: number) => void;

/** Keeps series in tables. All of it happens in the transaction of the caller. */
export class SeriesStore {
  readonly tables: Readonly<Record<SeriesTableName, string>>;
  /** Executes a statement with `?` for its parameters. */
  readonly query: Statements['query'];

  constructor(
    private readonly database: SeriesDatabase,
    private readonly statements: Statements,
    private readonly onWaited: WaitListener = () => undefined,
  ) {
    this.tables = database.tables.quoted;
    this.query = statements.query;
  }

  /** Returns the database's clock in Unix milliseconds. */
  async nowMs(): Promise<number> {
    const [row] = await this.query(`SELECT ${this.database.dialect.nowMs} AS now_ms`);
    return Number(row?.['now_ms']);
  }

  /**
   * Takes the next numbers of a counter, and keeps others from taking any until the transaction ends. A document that has a
   * number keeps it, even if that was in another period.
   *
   * @returns the numbers in the order of the requests
   */
  async take(key: SeriesKey, requests: readonly EntryRequest[]): Promise<SeriesNumberTaken[]> {
    if (requests.some(({ document }) => document !== undefined)) return this.takeForDocuments(key, requests);
    const last = await this.lockAndAdvance(key, requests.length);
    const first = last - requests.length + 1;
    const entries = requests.map((request, index) => entryOf(key, first + index, request));
    for (let at = 0; at < entries.length; at += ROWS_AT_ONCE) {
      await this.insert(key, entries.slice(at, at + ROWS_AT_ONCE));
    }
    return entries;
  }

  /** Returns the last number of a counter, without locking it; 0 if it has not begun. */
  async last(key: SeriesKey): Promise<number> {
    const sql = `SELECT last_number FROM ${this.tables.counters} WHERE ${OF_KEY}`;
    const [row] = await this.query(sql, valuesOf(key));
    return row === undefined ? 0 : counted(row);
  }

  /** Voids a number. @returns whether the series has made it */
  async void(series: string, scope: string, text: string, reason: string): Promise<boolean> {
    const { entries } = this.tables;
    const ofText = 'series = ? AND scope = ? AND text = ?';
    await this.statements.write(
      `UPDATE ${entries} SET void_reason = ?, voided_at_ms = ${this.database.dialect.nowMs}` +
        ` WHERE ${ofText} AND void_reason IS NULL`,
      [reason, series, scope, text],
    );
    const [row] = await this.query(`SELECT number FROM ${entries} WHERE ${ofText}`, [series, scope, text]);
    return row !== undefined;
  }

  /** Locks the counter first, so that no other transaction of this counter can come between. */
  private async takeForDocuments(
    key: SeriesKey,
    requests: readonly EntryRequest[],
  ): Promise<SeriesNumberTaken[]> {
    const before = await this.lockAndAdvance(key, 0);
    let last = before;
    const entries: SeriesNumberTaken[] = [];
    for (const request of requests) {
      const { document } = request;
      const taken = document === undefined ? undefined : await this.claimDocument(key, document, last + 1);
      if (taken) {
        entries.push(taken);
        continue;
      }
      last += 1;
      const entry = entryOf(key, last, request);
      await this.insert(key, [entry], document);
      entries.push(entry);
    }
    if (last > before) await this.advance(key, last - before);
    return entries;
  }

  /** Advances a counter that this transaction may not hold yet, so it waits for the one that does. */
  private async lockAndAdvance(key: SeriesKey, count: number): Promise<number> {
    const startedMs = monotonicMs();
    try {
      return await this.advance(key, count);
    } finally {
      this.onWaited(key.series, monotonicMs() - startedMs);
    }
  }

  /**
   * Raises the counter by `count`, and locks it until the end of the transaction.
   *
   * @returns its last number
   */
  private async advance(key: SeriesKey, count: number): Promise<number> {
    const { insertOrAdd, returnsSum, lockRow } = this.database.dialect;
    const { counters } = this.tables;
    const returned = await this.query(insertOrAdd(counters, KEY, 'last_number'), [
      ...valuesOf(key),
      count,
      count,
    ]);
    const read = `SELECT last_number FROM ${counters} WHERE ${OF_KEY}${lockRow}`;
    const [row] = returnsSum ? returned : await this.query(read, valuesOf(key));
    return counted(row, count);
  }

  /**
   * Claims the document for a number, unless the document has one already, which this returns. Waits for another transaction that claims it.
   *
   * @throws VoidedSeriesNumberError
   */
  private async claimDocument(
    key: SeriesKey,
    document: string,
    number: number,
  ): Promise<SeriesNumberTaken | undefined> {
    const { series, scope, period } = key;
    const { documents, entries } = this.tables;
    const columns = ['series', 'scope', 'document', 'period', 'number'];
    const written = await this.statements.write(
      this.database.dialect.insertUnlessExists(documents, columns),
      [series, scope, document, period, number],
    );
    if (written === 1) return undefined;
    const [found] = await this.query(
      `SELECT e.period, e.number, e.text, e.document_date, e.void_reason FROM ${documents} d JOIN ${entries} e` +
        ' ON e.series = d.series AND e.scope = d.scope AND e.period = d.period AND e.number = d.number' +
        ` WHERE d.series = ? AND d.scope = ? AND d.document = ?${this.database.dialect.lockRow}`,
      [series, scope, document],
    );
    if (!found) throw new Error('a row of snowflake_series_document has no row in snowflake_series_entry');
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
    entries: readonly SeriesNumberTaken[],
    document: string | null = null,
  ): Promise<void> {
    const row = `(?, ?, ?, ?, ?, ?, ?, ${this.database.dialect.nowMs})`;
    await this.statements.write(
      `INSERT INTO ${this.tables.entries} (${ENTRY_COLUMNS}) VALUES ${entries.map(() => row).join(', ')}`,
      entries.flatMap(({ number, text, date }) => [series, scope, period, number, text, date, document]),
    );
  }
}

function entryOf({ period }: SeriesKey, number: number, { date, write }: EntryRequest): SeriesNumberTaken {
  return { period, number, text: write(number), date };
}

/** Returns the number of a counter. @throws StoreRejectedError if it is not exact, or somebody removed the counter */
function counted(row: SqlRow | undefined, least = 0): number {
  const last = row?.['last_number'];
  if (Number.isSafeInteger(Number(last)) && Number(last) >= least) return Number(last);
  const remedy = 'Correct last_number in the table snowflake_series.';
  throw new StoreRejectedError(
    `A counter of a series must be from ${least} to ${Number.MAX_SAFE_INTEGER}, but is ${String(last)}. ${remedy}`,
  );
}

function valuesOf({ series, scope, period }: SeriesKey): string[] {
  return [series, scope, period];
}
