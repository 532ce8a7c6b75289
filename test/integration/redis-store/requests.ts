import { StoreUnavailableError } from '../../../libs/snowflake/src/core/errors/lease-errors.js';
import type { LeaseReply, LeaseRequest } from '../../../libs/snowflake/src/lease/lease-store.js';
import { waitFor } from '../../support/wait.js';

export type Granted = Extract<LeaseReply, { outcome: 'new' }>;

export const WINDOW_MS = 60_000;
export const MAX_SKEW_MS = 5_000;
const ANSWERED_WITHIN_MS = 20_000;

/** An acquire on a registry of 1,024 worker IDs. */
export function request(nonce: string, changes: Partial<LeaseRequest> = {}): LeaseRequest {
  return {
    layout: 'layout',
    firstWorkerId: 0,
    workerCount: 1024,
    windowMs: WINDOW_MS,
    maxSkewMs: MAX_SKEW_MS,
    nonce,
    retry: false,
    assumeNew: false,
    searchSeed: 0,
    ...changes,
  };
}

/** The first acquire of a new ID space. */
export function firstRequest(nonce: string, changes: Partial<LeaseRequest> = {}): LeaseRequest {
  return request(nonce, { assumeNew: true, ...changes });
}

/** What a holder shows to have `grant` renewed. */
export function claimOf({ workerId, fencingToken, untilMs }: Granted): Pick<LeaseRequest, 'claim'> {
  return { claim: { workerId, fencingToken, untilMs } };
}

/** Insists that a claim of the grant is kept. Returns the grant as its holder has it afterwards. */
export async function renewed(grant: Granted, reply: Promise<LeaseReply>): Promise<Granted> {
  const settled = await reply;
  if (settled.outcome !== 'kept') throw new Error(`expected a renewal: ${JSON.stringify(settled)}`);
  const { fencingToken, untilMs } = settled;
  return { ...grant, fencingToken, untilMs };
}

/** Insists on a grant. */
export async function granted(reply: Promise<LeaseReply>): Promise<Granted> {
  const settled = await reply;
  if (settled.outcome !== 'new') throw new Error(`expected a grant: ${JSON.stringify(settled)}`);
  return settled;
}

/**
 * Asks until there is an answer. A call that no replica acknowledges is answered 200 ms before its bound, and a busy
 * machine can be away for longer than that: the call then ends with an error, as it should.
 */
export function answered(call: () => Promise<LeaseReply>): Promise<LeaseReply> {
  return waitFor('an answer in time', ANSWERED_WITHIN_MS, async () => {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return undefined;
    }
  });
}
