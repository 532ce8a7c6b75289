import type {
  CallDeadline,
  LeaseClaim,
  LeaseReply,
  LeaseRequest,
  LeaseStore,
} from '../../lease/lease-store.js';

/** A store with an empty registry, for one case of the contract. */
export interface StoreUnderTest {
  /** The store, opened if it has `open`. */
  readonly store: LeaseStore;
  /**
   * Lets at least `ms` milliseconds pass on the store's clock: steps the clock if the test controls it, otherwise waits. The
   * contract passes a few hundred milliseconds at a time.
   */
  letPass(ms: number): Promise<void>;
  /** Closes the store and removes what it stored. */
  dispose(): Promise<void>;
}

/** The part of a test framework that a contract calls. Jest, Vitest, Mocha and `node:test` have it. */
export interface TestFramework {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void>): void;
}

/** The reply that grants a worker ID. */
export type Granted = Extract<LeaseReply, { outcome: 'new' }>;

/** A window that outlasts any pause of the test machine. */
export const LONG_WINDOW_MS = 3_600_000;
/** A window short enough to wait for its end. */
export const SHORT_WINDOW_MS = 150;
/** The largest clock difference in the requests of the contract, milliseconds. */
export const MAX_SKEW_MS = 20;

/** A deadline that no case of the contract reaches. */
export const FAR_DEADLINE: CallDeadline = { timeoutMs: 60_000, remainingMs: () => 60_000 };

/** Returns the nonce of the `index`-th holder. */
export function nonceOf(index: number): string {
  return `${index.toString(16).padStart(16, '0')}:contract`;
}

/** Returns the acquire request of holder `index` for three worker IDs, 0 to 2, and {@link LONG_WINDOW_MS}. */
export function requestOf(index: number, changes: Partial<LeaseRequest> = {}): LeaseRequest {
  return {
    layout: 'contract layout',
    firstWorkerId: 0,
    workerCount: 3,
    windowMs: LONG_WINDOW_MS,
    maxSkewMs: MAX_SKEW_MS,
    nonce: nonceOf(index),
    retry: false,
    assumeNew: true,
    searchSeed: 0,
    ...changes,
  };
}

/** Returns the request that renews `grant`, with a new nonce of the holder. */
export function renewalOf(
  grant: LeaseClaim,
  index: number,
  changes: Partial<LeaseRequest> = {},
): LeaseRequest {
  const { workerId, fencingToken, untilMs } = grant;
  return requestOf(index, { claim: { workerId, fencingToken, untilMs }, ...changes });
}

/** Calls `lease`. Throws unless the reply has the named outcome. */
export async function expectOutcome<Outcome extends LeaseReply['outcome']>(
  store: LeaseStore,
  request: LeaseRequest,
  outcome: Outcome,
): Promise<Extract<LeaseReply, { outcome: Outcome }>> {
  const reply = await store.lease(request, FAR_DEADLINE);
  if (reply.outcome !== outcome) {
    throw new Error(`${store.description} should answer '${outcome}', but answered ${JSON.stringify(reply)}`);
  }
  return reply as Extract<LeaseReply, { outcome: Outcome }>;
}
