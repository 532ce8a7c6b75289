/** Makes `calls` calls, of which `inFlight` are under way at any time. */
export async function closedLoop(calls: number, inFlight: number, call: () => Promise<void>): Promise<void> {
  let left = calls;
  const one = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: inFlight }, one));
}

/**
 * Starts `calls` calls at a fixed rate, whether or not earlier ones have been answered, and returns how long each took since it was
 * due, in milliseconds.
 *
 * @param pause passes the time until the next look at the clock
 */
export async function openLoop(
  calls: number,
  perSecond: number,
  call: (number: number) => Promise<void>,
  pause: () => Promise<unknown>,
): Promise<readonly number[]> {
  const startedMs = performance.now();
  const timed = async (number: number, dueMs: number): Promise<number> => {
    await call(number);
    return performance.now() - dueMs;
  };
  const started: Promise<number>[] = [];
  while (started.length < calls) {
    const dueMs = startedMs + (started.length * 1000) / perSecond;
    if (dueMs <= performance.now()) started.push(timed(started.length, dueMs));
    else await pause();
  }
  return Promise.all(started);
}
