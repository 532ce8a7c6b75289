import type { Clock } from 'nestjs-snowflake/core';
import { type CallDeadline, StoreUnavailableError } from 'nestjs-snowflake/store';
import { deadlineIn, GRACE_MS, settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import { asSnowflakeError } from 'nestjs-snowflake/internal/lease/store-caller';
import { nextEventLoopTurn } from './event-loop-turn.js';
import type { ReturnOutcome, SegmentReturn, SegmentStore } from './segment-store.js';

/** How calls of a {@link SegmentStore} are bounded. */
export interface CallSettings {
  readonly store: SegmentStore;
  readonly clock: Clock;
  readonly callTimeoutMs: number;
}

/** Calls the store in its own turn, and bounds the call. @throws SnowflakeError */
export async function callStore<Reply>(
  { store, clock }: CallSettings,
  timeoutMs: number,
  send: (deadline: CallDeadline) => Promise<Reply>,
): Promise<Reply> {
  await nextEventLoopTurn(clock);
  const late = (): Error =>
    new StoreUnavailableError(
      `The ${store.description} did not answer within ${timeoutMs} ms. Check that it is reachable.`,
    );
  try {
    return await settledWithin(clock, timeoutMs + GRACE_MS, send(deadlineIn(clock, timeoutMs)), late);
  } catch (error) {
    throw asSnowflakeError(error, store.description);
  }
}

/** Gives rests back, together if the store can. */
export async function returnTo(
  store: SegmentStore,
  rests: readonly SegmentReturn[],
  deadline?: CallDeadline,
): Promise<readonly ReturnOutcome[]> {
  if (store.returnRemainders) return store.returnRemainders(rests, deadline);
  return Promise.allSettled(rests.map((rest) => store.returnRemainder(rest, deadline)));
}
