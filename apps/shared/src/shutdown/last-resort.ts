import { Logger } from '@nestjs/common';

/**
 * Ends the process with code 1 if its shutdown takes longer than the grace period, for example because a query hangs or
 * a hook never returns. By then the lease is released, because its time limit is shorter.
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
