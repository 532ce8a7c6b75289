/** Awaits a task that handles `count` rows. @returns microseconds per row */
export async function microsEach(count: number, task: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await task();
  return ((performance.now() - startedMs) * 1000) / count;
}
