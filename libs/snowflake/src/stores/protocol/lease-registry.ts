import type { LeaseRequest } from '../../lease/lease-store.js';
import type { RegistryHeader, StoredRow, UnreadableField } from '../registry-format.js';

/** The server that executes a call. */
export interface ServerState {
  /** The server's clock, whole Unix milliseconds. */
  readonly nowMs: number;
  /** Identity of the server's history. Another one than the stored one means that grants may have been lost. */
  readonly historyId: string;
}

/** The row of one worker ID. */
export type WorkerRow = StoredRow & { readonly workerId: number };

/** What one call writes, all of it or nothing. */
export interface RegistryChanges {
  /** Fields of the header that get another value. */
  readonly header: ReadonlyMap<keyof RegistryHeader, string>;
  /** The row that is written. */
  readonly row?: WorkerRow;
  /** That row as the call read it; absent if there was no row. */
  readonly before?: StoredRow;
}

/**
 * What the lease protocol asks of a place where leases live. The protocol decides; a store answers and writes. A call
 * of `lease` asks for the header first and writes at most once, at its end. From the first question to the write no other
 * call may change what was read: a store holds a lock meanwhile, or runs all of it in one go, or refuses the write.
 *
 * Every method may throw {@link Unreadable}.
 */
export interface LeaseRegistry {
  /** Returns the fields of the namespace, empty when nothing is stored. Takes the lock, where there is one. */
  header(): RegistryHeader;
  /** Returns the server's clock and history, read after {@link header}. */
  server(): ServerState;
  /** Returns the row of one worker ID; `undefined` when it was never used. */
  row(workerId: number): StoredRow | undefined;
  /** Returns the row whose window ends, or ended, first; the lowest worker ID of several. */
  earliest(request: LeaseRequest): WorkerRow | undefined;
  /** Returns the rows whose fencing token begins with `<nonce>@`. */
  grantsOf(request: LeaseRequest): readonly WorkerRow[];
  /** Counts the worker IDs from `first` on that have a row, up to the first gap, and no more than `limit`. */
  usedInARow(first: number, limit: number): number;
  /**
   * Tells whether a namespace without a header is new rather than lost: by the operator's word, which the request holds,
   * or because the store knows that nothing can have been lost.
   */
  isNew(request: LeaseRequest): boolean;
  /** Writes the changes of the call. */
  write(changes: RegistryChanges): void;
}

/** A {@link LeaseRegistry} that answers later. */
export type AsyncLeaseRegistry = {
  readonly [Method in keyof LeaseRegistry]: (
    ...args: Parameters<LeaseRegistry[Method]>
  ) => ReturnType<LeaseRegistry[Method]> | Promise<ReturnType<LeaseRegistry[Method]>>;
};

/** Ends a call at the first value that this library did not write. */
export class Unreadable extends Error implements UnreadableField {
  constructor(
    readonly field: string,
    readonly stored: string,
  ) {
    super(field);
  }
}
