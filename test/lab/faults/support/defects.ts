import type { LeaseOptions, LeaseStore } from 'nestjs-snowflake';

const EXTRA_MS = 60_000;

/** Faults that a lease library can have, built in for controls: the checks must find the consequences. */
const DEFECTS = {
  /** The store answers a process whose worker ID was granted to another one that it still holds it. */
  'accepts every renewal': (store: LeaseStore): LeaseStore =>
    passedOn(store, {
      async lease(request, deadline) {
        const reply = await store.lease(request, deadline);
        if (!request.claim || !('storeNowMs' in reply) || reply.outcome === 'kept') return reply;
        const { storeNowMs } = reply;
        const { fencingToken } = request.claim;
        return { outcome: 'kept', fencingToken, storeNowMs, untilMs: storeNowMs + request.windowMs };
      },
    }),
  /** The generator takes its window for a minute longer than it is, so that nothing stops it. See {@link leaseWithDefect}. */
  'ignores the end of the window': (store: LeaseStore): LeaseStore =>
    passedOn(store, {
      async lease({ claim, windowMs, ...request }) {
        const honest = claim && { ...claim, untilMs: claim.untilMs - EXTRA_MS };
        const reply = await store.lease({ ...request, windowMs: windowMs - EXTRA_MS, claim: honest });
        return 'untilMs' in reply ? { ...reply, untilMs: reply.untilMs + EXTRA_MS } : reply;
      },
    }),
};

/** The process uses the window that its store reports, although it must refuse one longer than it requested. */
export function leaseWithDefect(lease: LeaseOptions, name: DefectName | undefined): LeaseOptions {
  if (name !== 'ignores the end of the window' || lease.windowMs === undefined) return lease;
  return { ...lease, windowMs: lease.windowMs + EXTRA_MS };
}

export type DefectName = keyof typeof DEFECTS;

export function withDefect(store: LeaseStore, name: DefectName | undefined): LeaseStore {
  return name === undefined ? store : DEFECTS[name](store);
}

/** Passes every call on to `store`, but for those that `instead` answers. */
export function passedOn(store: LeaseStore, instead: Partial<LeaseStore>): LeaseStore {
  return {
    description: store.description,
    renewable: store.renewable,
    open: (settings) => store.open?.(settings),
    lease: (request, deadline) => store.lease(request, deadline),
    release: (request, deadline) => store.release(request, deadline),
    inspect: () => store.inspect(),
    reconnect: () => store.reconnect?.(),
    close: () => store.close(),
    ...instead,
  };
}
