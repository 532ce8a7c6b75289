import type { EntityManager, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { dateIn, isTextColumn, scopeIn, type SeriesColumn } from '../columns/series-columns.js';
import type { ColumnMetadata } from 'nestjs-snowflake/internal/adapters/typeorm/declared-columns';
import { dataSourceOf } from '../database/series-database.js';
import type { SeriesAudit, SeriesRange } from '../database/series-types.js';
import type { SqlRow, SqlValue } from 'nestjs-snowflake/internal/kit/sql/statements';
import type { SeriesStore } from '../database/series-store.js';

const PAGE_ROWS = 1_000;

interface AuditedEntry {
  readonly number: number;
  readonly text: string;
  readonly hasDocument: boolean;
  readonly voided: { readonly reason: string; readonly at: Date } | undefined;
}

/** What an audit looks at: a series, of one scope and period or of all. */
export interface Audited {
  readonly series: string;
  readonly scope: string | undefined;
  readonly period: string | undefined;
}

/** Compares the numbers that a series has made with the rows that have them. Reads them page by page. */
export class Auditor {
  private readonly columns: readonly SeriesColumn[];

  constructor(
    private readonly store: SeriesStore,
    private readonly manager: EntityManager,
    columns: readonly SeriesColumn[],
  ) {
    this.columns = columns.filter((column) => !columns.some((other) => coversRows(other, column, columns)));
  }

  async audit({ series, scope, period }: Audited): Promise<SeriesAudit[]> {
    const filters: [string, SqlValue | undefined][] = [
      ['series', series],
      ['scope', scope],
      ['period', period],
    ];
    const given = filters.filter((filter): filter is [string, SqlValue] => filter[1] !== undefined);
    const counters = await this.store.query(
      `SELECT scope, period, last_number FROM ${this.store.tables.counters}` +
        // A repeated document asks for its own period, and then gets the number it has.
        ` WHERE ${given.map(([column]) => `${column} = ?`).join(' AND ')} AND last_number > 0 ORDER BY scope, period`,
      given.map(([, value]) => value),
    );
    const unknown = new UnknownNumbers();
    for (const column of this.columns) await this.findUnknown(column, { series, scope, period }, unknown);
    const audits: SeriesAudit[] = [];
    for (const counter of counters) audits.push(await this.auditCounter(series, counter, unknown));
    return [...audits, ...unknown.others()];
  }

  private async auditCounter(series: string, counter: SqlRow, unknown: UnknownNumbers): Promise<SeriesAudit> {
    const [scope, period] = [String(counter['scope']), String(counter['period'])];
    const last = Number(counter['last_number']);
    const gaps = new Ranges();
    const withoutDocument = new Ranges();
    const duplicates: SeriesAudit['duplicates'][number][] = [];
    const voided: SeriesAudit['voided'][number][] = [];
    let before = 0;
    let first: number | undefined;
    for (;;) {
      const entries = await this.entriesAfter([series, scope, period], before);
      const rows = await this.rowsWith(
        scope,
        entries.map(({ text }) => text),
      );
      for (const entry of entries) {
        first ??= entry.number;
        gaps.add(before + 1, entry.number - 1);
        before = entry.number;
        const count = rows?.get(entry.text) ?? 0;
        if (count > 1) duplicates.push({ text: entry.text, rows: count });
        if (entry.voided) voided.push({ text: entry.text, ...entry.voided });
        else if (rows ? count === 0 : !entry.hasDocument) withoutDocument.add(entry.number, entry.number);
      }
      if (entries.length < PAGE_ROWS) break;
    }
    gaps.add(before + 1, last);
    return {
      scope,
      period,
      first: first ?? 1,
      last,
      gaps: gaps.all,
      duplicates,
      voided,
      withoutDocument: withoutDocument.all,
      unknown: unknown.take(scope, period),
    };
  }

  /** Notes the numbers of rows that the series has not issued in the scope of the row. */
  private async findUnknown(column: SeriesColumn, audited: Audited, unknown: UnknownNumbers): Promise<void> {
    for (let last: ObjectLiteral | undefined; ;) {
      const rows = await this.rowsAfter(column, last, audited.scope);
      const byScope = new Map<string, ObjectLiteral[]>();
      for (const row of rows) {
        const scope = scopeOfRead(column, row, textIn(column, row));
        byScope.set(scope, [...(byScope.get(scope) ?? []), row]);
      }
      for (const [scope, own] of byScope) {
        if (audited.scope !== undefined && scope !== audited.scope) continue;
        const issued = await this.issued(
          audited.series,
          scope,
          own.map((row) => textIn(column, row)),
        );
        for (const row of own) {
          const [text, period] = [textIn(column, row), periodIn(column, row)];
          if (!issued.has(text) && (audited.period ?? period) === period) unknown.note(scope, period, text);
        }
      }
      if (rows.length < PAGE_ROWS) return;
      last = rows.at(-1);
    }
  }

  private async issued(series: string, scope: string, texts: readonly string[]): Promise<Set<string>> {
    const found = await this.store.query(
      `SELECT text FROM ${this.store.tables.entries} WHERE series = ? AND scope = ?` +
        ` AND text IN (${texts.map(() => '?').join(', ')})`,
      [series, scope, ...texts],
    );
    return new Set(found.map(({ text }) => String(text)));
  }

  /** Reads the next page of rows with numbers, in the order of their primary keys. */
  private rowsAfter(
    column: SeriesColumn,
    last: ObjectLiteral | undefined,
    scope: string | undefined,
  ): Promise<ObjectLiteral[]> {
    const { entity, scopeColumn, dateColumn } = column;
    const keys = entity.primaryColumns;
    const query = this.manager
      .createQueryBuilder<ObjectLiteral>(entity.target, 'document')
      .withDeleted()
      .where(`document.${column.column.propertyPath} IS NOT NULL`)
      .limit(PAGE_ROWS);
    for (const key of keys) query.addOrderBy(`document.${key.propertyPath}`);
    if (scopeColumn && scope !== undefined)
      query.andWhere(`document.${scopeColumn.propertyPath} = :scope`, { scope });
    if (last) {
      const { driver } = dataSourceOf(this.manager);
      const values = keys.map(
        (key) => driver.preparePersistentValue(key.getEntityValue(last), key) as unknown,
      );
      query.andWhere(`(${keys.map((_, at) => `(${isAfter(keys, at)})`).join(' OR ')})`);
      query.setParameters(Object.fromEntries(values.map((value, at) => [`key${at}`, value])));
    }
    const read = [...keys, column.column, scopeColumn, dateColumn].filter((each) => each !== undefined);
    if (typeof column.scope === 'function' || read.some(({ relationMetadata }) => relationMetadata))
      return withKeys(query, column).getMany();
    return query.select(read.map(({ propertyPath }) => `document.${propertyPath}`)).getMany();
  }

  private async entriesAfter(key: SqlValue[], after: number): Promise<AuditedEntry[]> {
    const rows = await this.store.query(
      `SELECT number, text, document, void_reason, voided_at_ms FROM ${this.store.tables.entries}` +
        ` WHERE series = ? AND scope = ? AND period = ? AND number > ? ORDER BY number LIMIT ${PAGE_ROWS}`,
      [...key, after],
    );
    return rows.map((row) => ({
      number: Number(row['number']),
      text: String(row['text']),
      hasDocument: row['document'] !== null,
      voided:
        row['void_reason'] === null
          ? undefined
          : { reason: String(row['void_reason']), at: new Date(Number(row['voided_at_ms'])) },
    }));
  }

  /** Returns how many rows of a scope have each number; `undefined` if no entity has numbers of the series. */
  private async rowsWith(
    scope: string,
    texts: readonly string[],
  ): Promise<ReadonlyMap<string, number> | undefined> {
    if (this.columns.length === 0) return undefined;
    const counts = new Map<string, number>();
    if (texts.length === 0) return counts;
    for (const column of this.columns) {
      for (const text of await this.textsOf(column, scope, texts))
        counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return counts;
  }

  private async textsOf(column: SeriesColumn, scope: string, texts: readonly string[]): Promise<string[]> {
    const textPath = `document.${column.column.propertyPath}`;
    const query = this.manager
      .createQueryBuilder<ObjectLiteral>(column.entity.target, 'document')
      .withDeleted()
      .where(`${textPath} IN (:...texts)`, { texts });
    if (typeof column.scope === 'function') {
      const rows = await withKeys(query, column).getMany();
      return rows
        .map((row) => ({ text: String(column.column.getEntityValue(row)), row }))
        .filter(({ text, row }) => scopeOfRead(column, row, text) === scope)
        .map(({ text }) => text);
    }
    query.select(textPath, 'text');
    const { scopeColumn } = column;
    if (scopeColumn) {
      const scopePath = `document.${scopeColumn.propertyPath}`;
      query.addSelect(scopePath, 'scope').andWhere(`${scopePath} = :scope`, { scope });
    }
    const found = await query.getRawMany<{ readonly text: string; readonly scope?: unknown }>();
    // PostgreSQL pads a char(n) with spaces.
    const isOfScope = ({ scope: read }: { readonly scope?: unknown }): boolean =>
      scopeColumn === undefined || !isTextColumn(scopeColumn) || String(read).trimEnd() === scope;
    return found.filter(isOfScope).map(({ text }) => text);
  }
}

/** Reads what the scope function of an INSERT can read: hidden columns, too, and the rows that it refers to, by their keys. */
function withKeys<Row extends ObjectLiteral>(
  query: SelectQueryBuilder<Row>,
  { entity }: SeriesColumn,
): SelectQueryBuilder<Row> {
  const hidden = entity.columns.filter(({ isSelect, isVirtual }) => !isSelect && !isVirtual);
  const relations = entity.relations.filter((relation) => relation.isManyToOne || relation.isOneToOneOwner);
  return query.addSelect(hidden.map(({ propertyPath }) => `document.${propertyPath}`)).loadAllRelationIds({
    relations: relations.map(({ propertyPath }) => propertyPath),
    disableMixedMap: true,
  });
}

/** Returns the condition that a key column is above that of a row, and those before it are equal. */
function isAfter(keys: readonly ColumnMetadata[], at: number): string {
  return keys
    .slice(0, at + 1)
    .map(({ propertyPath }, index) => `document.${propertyPath} ${index === at ? '>' : '='} :key${index}`)
    .join(' AND ');
}

function textIn(column: SeriesColumn, row: ObjectLiteral): string {
  return String(column.column.getEntityValue(row));
}

/** Returns the period in which a row counts by its date; empty if its date isn't known. */
function periodIn(column: SeriesColumn, row: ObjectLiteral): string {
  const { definition } = column;
  try {
    const date = dateIn(column, row);
    if (date) return definition.periodOf(date);
  } catch {
    // What was written by hand need not be a date.
  }
  return definition.options.resets === 'never' ? definition.periodOf({ year: 2000, month: 1, day: 1 }) : '';
}

/** @throws InvalidOptionError if the scope function of the app can't tell it */
function scopeOfRead(column: SeriesColumn, row: ObjectLiteral, text: string): string {
  if (typeof column.scope !== 'function') {
    const value: unknown = column.scopeColumn?.getEntityValue(row);
    // PostgreSQL pads a char(n) with spaces.
    return value === undefined || value === null ? '' : String(value).trimEnd();
  }
  try {
    return scopeIn(column, row);
  } catch {
    throw new InvalidOptionError(
      `${column.label}: scope`,
      text,
      'fails for a row that audit() has read',
      'audit() reads the columns of the row and the keys of its relations. Use only those in the scope function, or name a ' +
        'property as scope.',
    );
  }
}

/** Returns whether a column stands for the rows of another one: several entities can have one table. */
function coversRows(one: SeriesColumn, other: SeriesColumn, all: readonly SeriesColumn[]): boolean {
  const isSame =
    one !== other &&
    one.entity.tablePath === other.entity.tablePath &&
    one.column.databaseName === other.column.databaseName;
  if (!isSame) return false;
  if (one.entity.childEntityMetadatas.includes(other.entity)) return true;
  // An entity that is not a child reads all rows of its table. Of two such entities the first one counts.
  if (one.entity.tableType === 'entity-child') return false;
  return other.entity.tableType === 'entity-child' || all.indexOf(one) < all.indexOf(other);
}

/** The numbers that a series has not issued, by scope and period. */
class UnknownNumbers {
  private readonly byPlace = new Map<string, Map<string, number>>();

  note(scope: string, period: string, text: string): void {
    const place = JSON.stringify([scope, period]);
    const rows = this.byPlace.get(place) ?? new Map<string, number>();
    this.byPlace.set(place, rows.set(text, (rows.get(text) ?? 0) + 1));
  }

  /** Returns those of one place, sorted, and forgets them. */
  take(scope: string, period: string): SeriesAudit['unknown'] {
    const place = JSON.stringify([scope, period]);
    const found = this.byPlace.get(place) ?? new Map<string, number>();
    this.byPlace.delete(place);
    return [...found]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([text, rows]) => ({ text, rows }));
  }

  /** Returns those of places in which the series has issued nothing. */
  others(): SeriesAudit[] {
    return [...this.byPlace.keys()].sort().map((place) => {
      const [scope, period] = JSON.parse(place) as [string, string];
      const nothing = { first: 0, last: 0, gaps: [], duplicates: [], voided: [], withoutDocument: [] };
      return { scope, period, ...nothing, unknown: this.take(scope, period) };
    });
  }
}

/** Collects numbers in ascending order. */
class Ranges {
  readonly all: SeriesRange[] = [];

  /** Adds the numbers from `from` to `to`, if there are any. */
  add(from: number, to: number): void {
    if (from > to) return;
    const previous = this.all.at(-1);
    if (previous?.to === from - 1) this.all.splice(-1, 1, { from: previous.from, to });
    else this.all.push({ from, to });
  }
}
