import type { Clock } from '../../core/clock/clock.js';
import { InvalidOptionError, requireClock, requireMethods, requireOptions } from '../../core/index.js';
import { systemClock } from '../../core/clock/system-clock.js';
import type { LeaseStore } from '../../lease/lease-store.js';
import { LocalWindowStore } from './local-window-store.js';

/** Options of {@link withLocalWindow}. */
export interface LocalWindowOptions {
  /**
   * Path of the file, e.g. `/var/lib/app/snowflake.window`, in a folder that outlives the process and that nobody else
   * may write to (`mkdir -m 700`). One file for each ID maker and each server: never share one between namespaces,
   * datacenters or environments.
   */
  readonly file: string;
  /** Tells whether a window is over, and whether its end can be true. Default: the system clock. */
  readonly clock?: Clock;
}

const USE = 'Use it with a store that leases worker IDs, e.g. redisLeaseStore().';
const OPTIONS = { file: true, clock: true } satisfies Record<keyof LocalWindowOptions, true>;

/**
 * Keeps the unused rest of the window on disk when the process stops, so that it can start again while `store` is away
 * and go on in its own window, with timestamps above the last one used. One ID maker at a time.
 *
 * - **Stop**: the rest is written to `file`, and the worker ID stays taken until its window ends. If the file cannot be
 *   written, the worker ID is given back.
 * - **Start**: the store is asked first. When it grants a lease, the file is thrown away. When it does not answer, or
 *   grants nothing now, the rest is taken; the store is asked again, and its first grant replaces the rest. The store gets
 *   the fencing token of the rest to renew only if it grants nothing else.
 * - **Once**: the file is renamed, and the folder written to disk, before the first ID is made of it. Of two processes
 *   one gets it. After a crash, at whatever point, it is whole or gone.
 * - A file that is damaged, ended, of another store or layout, or a copy (another inode, or another start of the machine)
 *   is left unused, with a warning.
 * - So is a file that another user may have written: it belongs to another user than this process runs as, others may
 *   write to it, it is a link or has several names, it ends later than `windowMs + maxSkewMs` from now, or its folder
 *   belongs to another user (root excepted) or others may write to it (unless it has the sticky bit, as `/tmp` has). In
 *   such a folder no window is left either. Windows shows neither owners nor modes: there these are not checked.
 *
 * It cannot see that a running machine or file system is put back to an earlier state within one window (a memory snapshot
 * that is resumed twice, a file system that is rolled back). Without a boot ID (on any system but Linux) it cannot see a
 * clone of a whole disk either.
 *
 * @throws InvalidOptionError if `store` has no windows or `file` is not a path; the start rejects with it if the folder
 * cannot be written to, or not through to the disk
 */
export function withLocalWindow(store: LeaseStore, options: LocalWindowOptions): LeaseStore {
  requireOptions('localWindow', options, OPTIONS);
  const { file, clock = systemClock } = options;
  requireClock('localWindow.clock', clock, ['now', 'schedule']);
  requireMethods('localWindow.store', store, ['lease', 'release', 'close'], USE);
  if (typeof file !== 'string' || file === '' || file.includes('\0')) {
    throw new InvalidOptionError(
      'localWindow.file',
      file,
      'is not a path',
      "Use e.g. '/var/lib/app/snowflake.window'.",
    );
  }
  if (!store.renewable) {
    throw new InvalidOptionError('localWindow.store', store.description, 'has no windows to keep', USE);
  }
  return new LocalWindowStore(store, file, clock);
}
