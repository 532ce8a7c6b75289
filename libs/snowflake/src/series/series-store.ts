/** The counter of a series. */
export interface SeriesKey {
  readonly series: string;
  /** For whom it counts; empty if for all. */
  readonly scope: string;
  readonly period: string;
}

/** A number that a document has or gets. */
export interface SeriesEntry {
  readonly period: string;
  readonly number: number;
  readonly text: string;
  /** The document's date, as `2026-11-23`. */
  readonly date: string;
}

/** A wish for the next number. */
export interface EntryRequest {
  readonly date: string;
  /** The key of the document, by which a repeated request finds its number. */
  readonly document?: string | undefined;
  /** Returns the text of the number. @throws SeriesExhaustedError, InvalidOptionError */
  write(number: number): string;
}

/** Where the numbers of a transaction come from. All of it happens in that transaction. */
export interface SeriesStore {
  /** Returns the database's clock in Unix milliseconds. */
  nowMs(): Promise<number>;
  /**
   * Takes the next numbers of a counter, and keeps others from taking any until the transaction ends. A document that has a
   * number keeps it, also if that was in another period.
   *
   * @returns the numbers in the order of the requests
   */
  take(key: SeriesKey, requests: readonly EntryRequest[]): Promise<SeriesEntry[]>;
  /** Returns the last number of a counter, without locking it; 0 if it has not begun. */
  last(key: SeriesKey): Promise<number>;
  /** Voids a number. @returns whether the series has made it */
  void(series: string, scope: string, text: string, reason: string): Promise<boolean>;
}
