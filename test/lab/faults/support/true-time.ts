/** Reading of the monotonic clock, which is one for all processes of a system and which nobody steps. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Unix time in milliseconds at which the monotonic clock stood at zero, by the clock of this process. */
export function bootedAtMs(): number {
  return Date.now() - monotonicMs();
}

/** Unix time in milliseconds, whatever somebody does to the wall clock of this process. */
export function trueTimeMs(bootedAt: number): number {
  return bootedAt + monotonicMs();
}
