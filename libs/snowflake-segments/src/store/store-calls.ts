import type { Clock } from 'nestjs-snowflake/core';
import type { CallDeadline } from 'nestjs-snowflake/store';
import { StoreCaller } from 'nestjs-snowflake/internal/lease/store-caller';
import { nextEventLoopTurn } from './event-loop-turn.js';
import type { ReturnOutcome, SegmentReturn, SegmentStore } from './segment-store.js';

/** How calls of a {@link SegmentStore} are bounded. */
export interface CallSettings {
  readonly store: SegmentStore;
  readonly clock: Clock;
  readonly callTimeoutMs: number;
}

/**
 * Calls the store in its own turn, and bounds the call.
 *
 * @param queueMs how long the call may take while the store says that it waits for others
 * @throws SnowflakeError
 */
export async function callStore<Reply>(
  { store, clock }: CallSettings,
  timeoutMs: number,
  send: (deadline: CallDeadline) => Promise<Reply>,
  queueMs = timeoutMs,
): Promise<Reply> {
  await nextEventLoopTurn(clock);
  return new StoreCaller(store, clock).call(send, timeoutMs, queueMs);
}

/** Returns rests, together if the store can. */
export async function returnTo(
  store: SegmentStore,
  rests: readonly SegmentReturn[],
  deadline?: CallDeadline,
): Promise<readonly ReturnOutcome[]> {
  if (store.returnRemainders) return store.returnRemainders(rests, deadline);
  return Promise.allSettled(rests.map((rest) => store.returnRemainder(rest, deadline)));
}
