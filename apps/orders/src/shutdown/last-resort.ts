import { Logger } from '@nestjs/common';

/**
 * Ends the process with code 1 when its shutdown takes longer than the grace period, whatever it waits for: a query
 * that hangs, a hook that never returns. By then the lease is released: its bound is shorter.
 */
export function exitAfterGrace(signals: readonly NodeJS.Signals[], graceMs: number): void {
  const begin = (): void => {
    setTimeout(() => {
      new Logger('Shutdown').error(
        `The shutdown took longer than ${graceMs} ms (SHUTDOWN_GRACE_MS): exit code 1`,
      );
      process.exit(1);
    }, graceMs).unref();
  };
  for (const signal of signals) process.once(signal, begin);
}
