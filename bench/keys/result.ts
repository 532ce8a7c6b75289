import type { Summary } from '../db/samples.js';

/** The measurements in one database. docs/bench/keys.json is a list of them. */
export interface KeysResult {
  readonly database: string;
  readonly tableRows: number;
  readonly keys: readonly {
    readonly label: string;
    /** Of the orders, with all indexes. */
    readonly bytesPerRow: number;
    /** A row, in statements of 1,000 rows. */
    readonly insert: Summary;
    /** The whole join. */
    readonly join: Summary;
  }[];
}
