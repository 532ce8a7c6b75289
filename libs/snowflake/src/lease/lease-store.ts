import type { CallDeadline } from '../kit/call-deadline.js';

export type { CallDeadline };

/**
 * The interface of a store of leases. A lease is the right to use one worker ID for one window of timestamps
 * `(fromMs, untilMs]`. A store keeps one number per worker ID, `reserved until`: timestamps up to it are permanently
 * reserved. All times are Unix time in milliseconds.
 */
export interface LeaseStore {
  /** Names this store in logs and errors, e.g. `redis namespace "shop"`. Must not contain a password. */
  readonly description: string;

  /**
   * Whether leases end and must be renewed. `false` only for a store whose single grant never ends (a worker ID that the
   * operator fixes).
   */
  readonly renewable: boolean;

  /**
   * Whether the server of this store runs on this machine, as far as its address shows. Only then `lease.possibleLoss` defaults to
   * `ignore` in development and tests. A store without it counts as shared.
   */
  readonly isOnLoopback?: boolean;

  /**
   * Whether several ID makers of a process can use this store at once, although it has {@link open}: it has no connection, and
   * remembers nothing of its user.
   */
  readonly isShareable?: boolean;

  /**
   * Prepares the connection without waiting for the server. Called before the first {@link lease}, and again after
   * {@link close} when another ID maker uses the store; never by two at a time. If it takes longer than `acquireTimeoutMs`,
   * or the ID maker stops meanwhile, the wait ends, and the store is closed once it is open.
   */
  open?(settings: StoreSettings): void | Promise<void>;

  /**
   * Renews the claim of the request, or acquires a worker ID: a fresh one first, then the longest offline. One atomic
   * step.
   *
   * @param deadline when the caller stops waiting; without one the call has `callTimeoutMs`
   * @throws StoreUnavailableError if the server does not answer or is unavailable (the keeper retries)
   * @throws StoreRejectedError if the server refuses this client until an operator changes something
   */
  lease(request: LeaseRequest, deadline?: CallDeadline): Promise<LeaseReply>;

  /**
   * Releases a lease, so that its worker ID can be granted again for timestamps above `lastUsedMs`. One atomic step.
   */
  release(request: ReleaseRequest, deadline?: CallDeadline): Promise<ReleaseReply>;

  /**
   * Claims timestamps of the past for {@link BackfillRequest}: those after what the worker ID has served up to the end that is
   * requested. No later claim gets them, and no process leases the worker ID. One atomic step. A store without it can't backfill.
   *
   * @throws what {@link lease} throws
   * @throws BackfillRefusedError if only the call shows that the store can't backfill, because another process decides
   */
  backfill?(request: BackfillRequest, deadline?: CallDeadline): Promise<BackfillReply>;

  /** Reads the whole registry without changing it. */
  inspect(): Promise<RegistrySnapshot>;

  /** Drops a connection that has stopped answering and makes a new one. The caller does not wait for it. */
  reconnect?(): void;

  /** Closes the connection. Must settle within a bounded time and never throw. The caller waits for half a second. */
  close(): Promise<void>;
}

/** The settings that a store gets when it is opened. */
export interface StoreSettings {
  /** The option `callTimeoutMs`: how long a single call may take, including connecting, in milliseconds. */
  readonly callTimeoutMs: number;
  /** Reports what operators must know to run this store safely, through an event of the lease. */
  warn?(message: string): void;
}

/** What a holder passes to renew its lease. */
export interface LeaseClaim {
  readonly workerId: number;
  /** The fencing token of the grant, or of its last renewal that was answered. */
  readonly fencingToken: string;
  /** End of the window as the holder knows it. */
  readonly untilMs: number;
}

/** A request to {@link LeaseStore.lease}. */
export interface LeaseRequest {
  /** Layout fingerprint: protocol, epoch, tick, fields, worker ID range. A namespace has one layout. */
  readonly layout: string;
  readonly firstWorkerId: number;
  readonly workerCount: number;
  readonly windowMs: number;
  readonly maxSkewMs: number;
  /** 16 random hex digits, `:`, the holder's name. Stays the same across retries; a new one follows each reply to a claim, and each grant. */
  readonly nonce: string;
  /**
   * What distinguishes this attempt from all others, in copies of the process as well, and then the same of earlier attempts with this
   * nonce: 1 to 64. Each of these may have been executed although its reply was lost. A grant or renewal writes the first one into the
   * fencing token, so that a copy of the process, which makes other attempts, doesn't get the same grant. An attempt can end with how
   * far the clock of the process is corrected in milliseconds, such as `+480000` or `-480000`, which the registry then shows.
   *
   * @defaultValue the nonce up to the first `:`, for a holder whose attempts can't be told apart
   */
  readonly attempts?: readonly string[];
  /** Whether an earlier call with this nonce may have been executed although its reply was lost. */
  readonly retry: boolean;
  /**
   * Whether the operator asserts that an empty registry is new and was not wiped. Says nothing about a registry that isn't
   * empty. Doesn't apply to a request with a claim.
   */
  readonly assumeNew: boolean;
  /**
   * Whether the operator asserts that nothing was lost. A registry that is empty, or whose history has changed, then
   * grants at once, and a wait that has begun ends. Stored leases are still respected. Doesn't apply to a request with
   * a claim. Default false.
   */
  readonly ignoreLoss?: boolean;
  /** A whole number in [0, 2^31): where a search through very many worker IDs begins. */
  readonly searchSeed: number;
  /**
   * Whether to prefer the longest-offline worker ID to a fresh one: after a clock rollback, so that a clock that steps often
   * does not use up the fresh ones. Default false.
   */
  readonly preferLongestOffline?: boolean;
  /** The lease to renew; absent to acquire. */
  readonly claim?: LeaseClaim;
}

/**
 * The named outcomes of {@link LeaseStore.lease}. The keeper refuses a window that ends later than
 * `storeNowMs + windowMs + maxSkewMs`, unless the claim of the request ends later.
 */
export type LeaseReply =
  /** The claim was renewed. Later claims and the release show the new fencing token. */
  | {
      readonly outcome: 'kept';
      readonly fencingToken: string;
      readonly untilMs: number;
      readonly storeNowMs: number;
    }
  /**
   * The lease of the claim was renewed by another process with the same fencing token: the memory of its holder exists twice, as
   * after a snapshot of a virtual machine was resumed twice. The caller stops to use the worker ID at once.
   */
  | { readonly outcome: 'copied'; readonly storeNowMs: number }
  /** A worker ID was acquired for `(fromMs, untilMs]`. */
  | {
      readonly outcome: 'new';
      readonly workerId: number;
      readonly fencingToken: string;
      readonly fromMs: number;
      readonly untilMs: number;
      readonly storeNowMs: number;
    }
  /** The registry may have lost grants, and grants nothing before all of these have ended. */
  | {
      readonly outcome: 'wait';
      readonly waitMs: number;
      /**
       * `empty`: nothing was stored when the wait began; `history`: the server's history changed, or stored leases were
       * restored or removed.
       */
      readonly reason: 'empty' | 'history';
      readonly storeNowMs: number;
    }
  /** Every worker ID is held. */
  | { readonly outcome: 'full'; readonly nextFreeInMs: number; readonly storeNowMs: number }
  /** The namespace has another layout. */
  | { readonly outcome: 'layout'; readonly storedLayout: string }
  /** Too few replicas acknowledge this master: it may have been replaced. */
  | { readonly outcome: 'alone'; readonly replicas: number; readonly storeNowMs: number }
  /** The registry holds an unreadable value; the call changed nothing. */
  | { readonly outcome: 'corrupt'; readonly field: string; readonly stored: string };

/** A request to {@link LeaseStore.release}. */
export interface ReleaseRequest {
  readonly workerId: number;
  readonly fencingToken: string;
  /** The last timestamp that an ID may have used. */
  readonly lastUsedMs: number;
}

/** The named outcomes of {@link LeaseStore.release}. */
export type ReleaseReply =
  | {
      readonly outcome: 'released';
      /**
       * Set if the worker ID stays reserved until its window ends, because another process may use the rest of the window.
       */
      readonly reservedUntilMs?: number;
    }
  /** The store holds another fencing token, so there was nothing to release. */
  | { readonly outcome: 'gone' };

/** A request to {@link LeaseStore.backfill}. All times are Unix time in milliseconds. */
export interface BackfillRequest extends Pick<LeaseRequest, 'layout' | 'firstWorkerId' | 'workerCount'> {
  /** The first timestamp that is needed, at least 1. */
  readonly firstMs: number;
  /** The last timestamp that is needed if the claim can begin at `firstMs`. */
  readonly untilMs: number;
  /** By how much a claim may begin and end later, so that it can continue on a worker ID that has served a little more. */
  readonly maxShiftMs: number;
  /** The worker ID of the caller's claim before, which is preferred. */
  readonly workerId?: number;
  /** Whether the operator asserts that the registry has lost no claim and no lease. */
  readonly ignoreLoss: boolean;
}

/** The named outcomes of {@link LeaseStore.backfill}. */
export type BackfillReply =
  /** `(fromMs, untilMs]` of a worker ID was claimed. */
  | {
      readonly outcome: 'claimed';
      readonly workerId: number;
      readonly fromMs: number;
      readonly untilMs: number;
    }
  /**
   * Nothing shows that the registry has all claims: this is the first one of a namespace that wasn't declared new, or the history has changed
   * since the last one.
   */
  | { readonly outcome: 'possible-loss' }
  /** The registry may have lost grants. A process that leases has to notice that first, or the wait for them has not ended. */
  | { readonly outcome: 'wait' }
  /** Every worker ID that can be reserved for imports has served later timestamps, or was leased by a process. */
  | { readonly outcome: 'full' }
  | Extract<LeaseReply, { outcome: 'layout' | 'corrupt' }>;

/** One worker ID of the registry. */
export interface RegistryRow {
  readonly workerId: number;
  readonly reservedUntilMs: number;
  /** Fencing token of the last grant or renewal; empty after a release. */
  readonly fencingToken: string;
}

/** A value in a registry that this library can't have written. A lease that needs it is refused. */
export interface UnreadableField {
  /** A worker ID, or the name of a field of the whole namespace. */
  readonly field: string;
  readonly stored: string;
}

/** Everything that a store keeps for one namespace. Rows are in order of worker ID; unused worker IDs have none. */
export interface RegistrySnapshot {
  readonly storeNowMs: number;
  /** Absent when nothing is stored. */
  readonly layout?: string;
  readonly historyId?: string;
  readonly grantsAfterMs?: number;
  readonly longestWindowMs?: number;
  readonly longestMaxSkewMs?: number;
  /** The next worker ID that has never been used. */
  readonly freshWorkerId?: number;
  /**
   * How many processes wait in line for their first lease. Absent if the store can't tell. PostgreSQL can. So can MariaDB and MySQL, unless
   * they are a Galera cluster; without the privilege `PROCESS`, they count only the sessions of the same user.
   */
  readonly waiting?: number;
  /**
   * How long the first of them has waited, in milliseconds; MariaDB and MySQL count whole seconds. Absent if none waits, or if the store
   * can't tell.
   */
  readonly longestWaitMs?: number;
  readonly rows: readonly RegistryRow[];
  /** What is omitted because it can't be read. Absent if everything can be read. */
  readonly unreadable?: readonly UnreadableField[];
}
