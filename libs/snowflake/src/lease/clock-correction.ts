/** Local clock readings around a call, and what the store's clock said in its reply. Unix time in milliseconds. */
export interface ClockReading {
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly storeNowMs: number;
}

/**
 * How far the store's clock is ahead of the local one, with the store's reading taken for the middle of the call
 * (Cristian's algorithm, 1989). Off by at most half of the call's duration.
 */
export function clockSkewMs({ sentMs, receivedMs, storeNowMs }: ClockReading): number {
  return Math.round(storeNowMs - (sentMs + receivedMs) / 2);
}
