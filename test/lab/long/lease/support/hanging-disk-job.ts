/** What a process whose disk hangs is to do. */
export interface HangingDiskJob {
  /** A named pipe that nobody writes to. */
  readonly pipe: string;
  /** Where the rest of the window would be kept. */
  readonly file: string;
  readonly acquireTimeoutMs: number;
  /** It stops while its store is being opened. */
  readonly stops?: boolean;
}

/** The report of the process at its end, after its disk has answered. */
export interface HangingDiskReport {
  /** The error of the start. */
  readonly start: { readonly code: string; readonly message: string } | undefined;
  /** The calls of the store below the local window, as long as the disk was silent. */
  readonly whileHanging: readonly string[];
  /** All of them. */
  readonly calls: readonly string[];
  readonly warnings: readonly string[];
  readonly state: string;
}
