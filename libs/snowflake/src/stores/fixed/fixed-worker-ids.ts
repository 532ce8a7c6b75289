import type { Clock } from '../../core/clock/clock.js';
import { InvalidOptionError, requireClock, requireOptions } from '../../core/index.js';
import { systemClock } from '../../core/clock/system-clock.js';
import type { LeaseStore } from '../../lease/lease-store.js';
import { FixedLeaseStore } from '../fixed-lease-store.js';

/** Options of {@link staticLeaseStore}. */
export interface StaticLeaseStoreOptions {
  /**
   * The worker ID of this process. Give it to one process of the ID space at a time; nothing checks that.
   * Bounds: 0 to the largest value of the worker field, 1,023 by default.
   */
  readonly workerId: number;
  /**
   * The clock whose time the grant begins at.
   *
   * @defaultValue the system clock
   */
  readonly clock?: Pick<Clock, 'now'>;
}

const OPTIONS = { workerId: true, clock: true } satisfies Record<keyof StaticLeaseStoreOptions, true>;
const REMEDY = 'Give each process its own worker ID, a whole number from 0 that the bit layout can hold.';

/**
 * Uses a fixed worker ID, without any server: one grant that never ends. Within a process, the ID makers of one layout, epoch and
 * datacenter ID have the worker ID one after the other, and each begins after the last timestamp used, whatever the clock shows.
 * A second maker at the same time is refused.
 *
 * Can't detect other processes, worker threads and copies of the library, such as those that Jest loads for each test file: two
 * with the same `workerId` make duplicates, and so does a restart of the process while the clock is behind the last ID made.
 *
 * @throws InvalidOptionError if an option is unknown or `workerId` is not a whole number from 0; `lease()` rejects with it
 * if the bit layout cannot hold `workerId`
 */
export function staticLeaseStore(options: StaticLeaseStoreOptions): LeaseStore {
  requireOptions('staticLeaseStore', options, OPTIONS);
  const { workerId, clock = systemClock } = options;
  requireClock('staticLeaseStore.clock', clock, ['now']);
  if (!Number.isSafeInteger(workerId) || workerId < 0) {
    throw new InvalidOptionError('workerId', workerId, 'must be a whole number from 0', REMEDY);
  }
  return new FixedLeaseStore({
    workerId,
    description: `static worker ID ${workerId}`,
    clock,
    outOfRange: (first, last) =>
      new InvalidOptionError(
        'workerId',
        workerId,
        `is outside the worker IDs of the bit layout, ${first}..${last}`,
        REMEDY,
      ),
  });
}
