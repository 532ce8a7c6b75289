/** What an issuing process is to do. */
export interface SqlIssuingJob {
  /** The SQLite file that holds the leases. */
  readonly database: string;
  /** Where the IDs are appended, eight bytes each. */
  readonly idsFile: string;
  /** How many batches are issued before the process sends `issued`. It then continues until it is ended. */
  readonly batches: number;
}
