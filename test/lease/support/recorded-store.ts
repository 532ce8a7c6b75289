import type { LeaseStore } from 'nestjs-snowflake';
import type { LeaseReply, LeaseRequest } from 'nestjs-snowflake/store';
import type { WindowLedger } from '../../../libs/snowflake/src/stores/port/window-ledger.js';

/** Passes every call on to `store`, and enters every window that it grants in the ledger. */
export function recordedStore(store: LeaseStore, ledger: WindowLedger): LeaseStore {
  const note = (request: LeaseRequest, reply: LeaseReply): void => {
    if (reply.outcome === 'new') ledger.grant(reply);
    if (reply.outcome === 'kept' && request.claim) {
      ledger.extend(request.claim.workerId, request.claim.fencingToken, reply);
    }
  };
  return {
    description: store.description,
    renewable: store.renewable,
    open: (settings) => store.open?.(settings),
    async lease(request, deadline) {
      const reply = await store.lease(request, deadline);
      note(request, reply);
      return reply;
    },
    async release(request, deadline) {
      const reply = await store.release(request, deadline);
      if (reply.outcome === 'released')
        ledger.release(request.workerId, request.fencingToken, request.lastUsedMs);
      return reply;
    },
    inspect: () => store.inspect(),
    reconnect: () => store.reconnect?.(),
    close: () => store.close(),
  };
}
