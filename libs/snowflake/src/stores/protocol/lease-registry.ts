import type { LeaseRequest, UnreadableField } from '../../lease/lease-store.js';
import type { RegistryHeader, StoredRow } from '../registry-format.js';

/** The server that executes a call. */
export interface ServerState {
  /** The server's clock, whole Unix milliseconds. */
  readonly nowMs: number;
  /** The server's history ID. If it differs from the stored one, grants may have been lost. */
  readonly historyId: string;
}

/** The row of one worker ID. */
export type WorkerRow = StoredRow & { readonly workerId: number };

/** A worker ID without a row. */
export interface UnusedWorkerId {
  readonly workerId: number;
  /**
   * The lowest worker ID of the search that may have no row. It is `workerId` itself, unless calls compete without a lock: a later attempt
   * then chooses another one at random.
   */
  readonly lowest: number;
}

/** Which rows to search: those of a range of worker IDs whose fencing token begins with a nonce. */
export type GrantSearch = Pick<LeaseRequest, 'nonce' | 'firstWorkerId' | 'workerCount' | 'searchSeed'>;

/** The changes of one call, written atomically. */
export interface RegistryChanges {
  /** The header fields that change. */
  readonly header: ReadonlyMap<keyof RegistryHeader, string>;
  /** The row to write. */
  readonly row?: WorkerRow;
  /** The row as the call read it; absent if there was none. */
  readonly before?: StoredRow;
}

/**
 * The storage that the lease protocol needs. The protocol decides; the registry reads and writes. A call of `lease` reads
 * the header first and writes at most once, at its end. Until that write, no other call may change what this call has read:
 * a registry holds a lock, runs the whole call atomically, or refuses the write.
 *
 * Every method may throw {@link Unreadable}.
 */
export interface LeaseRegistry {
  /** Returns the header fields of the namespace, or none if nothing is stored. Takes the lock, if there is one. */
  header(): RegistryHeader;
  /** Returns the server's clock and history, read after {@link header}. */
  server(): ServerState;
  /** Returns the row of one worker ID; `undefined` if it was never used. */
  row(workerId: number): StoredRow | undefined;
  /**
   * Returns the row whose worker ID is free next: the longest offline one, or else the one whose window ends first. If several end then,
   * returns the lowest worker ID. Where calls compete without a lock, a later attempt may return any offline row.
   */
  nextFree(request: LeaseRequest): WorkerRow | undefined;
  /** Returns the rows whose fencing token begins with `<nonce>@`. */
  grantsOf(search: GrantSearch): readonly WorkerRow[];
  /** Returns one of the `count` worker IDs from `first` on that has no row; `undefined` if all have one. */
  findUnused(first: number, count: number): UnusedWorkerId | undefined;
  /**
   * Returns whether a namespace without a header is new rather than lost: the operator asserts so in the request, and nothing
   * else shows the opposite.
   */
  isNew(request: LeaseRequest): boolean;
  /**
   * Returns whether every row is still as this library has written it last. Always true if the rows can't be restored or
   * removed without the header.
   */
  hasAllRows(): boolean;
  /** Writes the changes of the call. */
  write(changes: RegistryChanges): void;
}

/** A {@link LeaseRegistry} whose methods may be asynchronous. */
export type AsyncLeaseRegistry = {
  readonly [Method in keyof LeaseRegistry]: (
    ...args: Parameters<LeaseRegistry[Method]>
  ) => ReturnType<LeaseRegistry[Method]> | Promise<ReturnType<LeaseRegistry[Method]>>;
};

/** Ends a call at the first value that this library can't have written. */
export class Unreadable extends Error implements UnreadableField {
  constructor(
    readonly field: string,
    readonly stored: string,
  ) {
    super(field);
  }
}
