/** The job of a process that may continue with the rest of a window. */
export interface SuccessorJob {
  readonly url: string;
  readonly namespace: string;
  /** Where the rest of the window is kept. */
  readonly file: string;
  /** Where it writes the IDs that it made, eight bytes each. */
  readonly idsFile: string;
  readonly count: number;
  /** The time of its stopped clock, Unix time in milliseconds: a process that uses a window again generates the same IDs. */
  readonly nowMs: number;
  readonly acquireTimeoutMs: number;
  /** It ends by SIGKILL right before this operation on the disk, counted from 0 in each phase. */
  readonly dieBefore?: { readonly phase: SuccessorPhase; readonly operation: number };
  /** A fault of the disk: a file that was used comes back. */
  readonly forgetsThatItWasTaken?: boolean;
  /** Another user gives the file its old name again while it is being taken. */
  readonly isLinkedWhenTaken?: boolean;
  /** A fault of the disk: a file that was emptied is as before. */
  readonly keepsWhatIsEmptied?: boolean;
  /** Whether it waits for an order before it starts. */
  readonly waits?: boolean;
}

export type SuccessorPhase = 'start' | 'stop';

/** The report of the process at its end. */
export interface SuccessorReport {
  readonly status: 'ended';
  /** Absent when it got no lease. */
  readonly workerId?: number;
  readonly error?: string;
  /** Its operations on the disk, by name. */
  readonly operations: Readonly<Record<SuccessorPhase, readonly string[]>>;
  readonly warnings: readonly string[];
}
