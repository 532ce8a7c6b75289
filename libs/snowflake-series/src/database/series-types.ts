import type { EntityManager } from 'typeorm';

/** A number of a series. */
export interface SeriesNumberTaken {
  /** Text of the number, such as `INV-2026-00042`. */
  readonly text: string;
  /** The number itself, such as 42. */
  readonly number: number;
  /** The period in which it counts, such as `2026`. */
  readonly period: string;
  /** Date of the document, such as `2026-11-23`. */
  readonly date: string;
}

/** The scope and the date of a document, which decide its counter. */
export interface SeriesPlace {
  /** The manager of the transaction that also inserts the document. */
  readonly manager: EntityManager;
  /**
   * Separates numbers that are counted independently, such as those of each tenant.
   * Bounds: 1 to 128 characters.
   *
   * @defaultValue all documents count together
   */
  readonly scope?: string | number;
  /**
   * Date of the document: a date such as `'2026-12-31'`, or a `Date` or a timestamp with its offset, whose date in the
   * zone of the series counts.
   *
   * @defaultValue the date of the database's clock, in the zone of the series
   */
  readonly date?: Date | string;
  /** Values for `{field:name}` in the format. */
  readonly fields?: Readonly<Record<string, string | number>>;
}

/** Options of `series.next()`. */
export interface SeriesNextOptions extends SeriesPlace {
  /**
   * Key of the document, such as its ID. A second call with the same key returns the number that the document has,
   * unless that number was voided.
   * Bounds: 1 to 128 characters.
   */
  readonly document?: string | number;
}

/** Options of `series.void()`. */
export interface SeriesVoidOptions extends Pick<SeriesPlace, 'manager' | 'scope'> {
  /**
   * Why no document has the number.
   * Bounds: 1 to 255 characters.
   */
  readonly reason: string;
}

/** Options of `series.audit()`. */
export interface SeriesAuditOptions extends Pick<SeriesPlace, 'manager' | 'scope'> {
  /** Audits this period only, such as `'2026'`. */
  readonly period?: string;
}

/** Consecutive numbers, from `from` to `to` inclusive. */
export interface SeriesRange {
  readonly from: number;
  readonly to: number;
}

/** What `series.audit()` finds in one scope and period. */
export interface SeriesAudit {
  readonly scope: string;
  /** Empty for {@link unknown} numbers of rows that don't show their period, because the column has no `date`. */
  readonly period: string;
  /** The first and the last number that the series has issued; 0 if it has issued none. */
  readonly first: number;
  readonly last: number;
  /** Numbers below the last one that have no record: somebody changed the tables of the series. */
  readonly gaps: readonly SeriesRange[];
  /** Numbers that more than one row has. */
  readonly duplicates: readonly { readonly text: string; readonly rows: number }[];
  /** Numbers that were voided. */
  readonly voided: readonly { readonly text: string; readonly reason: string; readonly at: Date }[];
  /**
   * Numbers that have no document and were not voided. In a series of a `@SeriesNumber()` column, no row has these
   * numbers: the row was deleted, or never inserted. In any other series, `next()` was called without `document`.
   */
  readonly withoutDocument: readonly SeriesRange[];
  /**
   * Numbers of rows that the series has not issued in this scope: they were typed by hand, imported, or came from another scope.
   * If the counter reaches one and the number is unique, no INSERT succeeds until an operator has raised the counter above it, or has
   * corrected the row.
   */
  readonly unknown: readonly { readonly text: string; readonly rows: number }[];
}
