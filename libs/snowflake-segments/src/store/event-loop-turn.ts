import type { Clock } from 'nestjs-snowflake/core';

/**
 * Waits for the next turn of the event loop. SQLite executes on the calling thread, so a transaction that begins in the middle
 * of the app's own promises would take turns with them, and each would wait for the lock of the other.
 */
export function nextEventLoopTurn(clock: Pick<Clock, 'schedule'>): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(0, resolve).keepProcessAlive?.();
  });
}
