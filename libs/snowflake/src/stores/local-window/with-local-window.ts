import type { Clock } from '../../core/clock/clock.js';
import { checkedOptions, clockWith, type OptionRules, text } from '../../core/options/option-rule.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { requireMethods } from '../../core/options/option-checks.js';
import { systemClock } from '../../core/clock/system-clock.js';
import type { LeaseStore } from '../../lease/lease-store.js';
import { LocalWindowStore } from './local-window-store.js';

/** Options of {@link withLocalWindow}. */
export interface LocalWindowOptions {
  /**
   * Path of the file for the rest of the window, e.g. `/var/lib/app/snowflake.window`.
   * Bounds: a path in a folder that exists.
   *
   * The folder must outlive the process, and only the process's user may write to it (`mkdir -m 700`). Use one file per ID maker and
   * server. Never share a file between namespaces, datacenters or environments.
   */
  readonly file: string;
  /**
   * The clock that decides whether a window has ended, and whether its end is plausible.
   *
   * @defaultValue the system clock
   */
  readonly clock?: Clock;
}

const USE = 'Use it with a store that leases worker IDs, e.g. redisLeaseStore().';
const OPTIONS = {
  file: text(/^[^\0]+$/, 'is not a path', "Use e.g. '/var/lib/app/snowflake.window'."),
  clock: clockWith<Clock>('now', 'schedule').or(systemClock),
} satisfies OptionRules<LocalWindowOptions>;

/**
 * Keeps the unused rest of the window on disk when the process stops. If `store` is unreachable at the next startup, the
 * process continues in its own window, with timestamps above the last one used. Only one ID maker can use the store at
 * a time.
 *
 * - **Stop**: the store writes the rest to `file`, and the worker ID stays reserved until its window ends. If the file
 *   cannot be written, the store releases the worker ID.
 * - **Start**: `store` is called first. If it grants a lease, the file is deleted. If it does not answer, or has nothing
 *   to grant at the moment, the process uses the rest and calls `store` again; its first grant replaces the rest.
 *   `store` gets the fencing token of the rest to renew only if it grants nothing else.
 * - **Once**: the file is renamed, and its folder flushed to disk, before the first ID uses the rest. If two processes
 *   start, one of them gets the rest. After a crash at any point, the rest is complete or gone.
 * - A file that is damaged, has ended, belongs to another store or layout, or is a copy (another inode, or another start of
 *   the machine) is not used, and causes a warning.
 * - The same applies to a file that another user may have written: it belongs to a user other than that of this
 *   process, others may write to it, it is a link or has several names, its window ends later than
 *   `windowMs + maxSkewMs` from now, or its folder belongs to another user (except root) or others may write to it
 *   (unless it has the sticky bit, as `/tmp` has). No window is written to such a folder either. Windows shows neither
 *   owners nor modes, so they are not checked there.
 *
 * It cannot detect that a running machine or file system returns to an earlier state within one window (a memory snapshot
 * that is resumed twice, a file system that is rolled back). Without a boot ID (on any system but Linux) it cannot detect a
 * clone of a whole disk either.
 *
 * @throws InvalidOptionError if `store` has no windows or `file` is not a path; startup rejects with it if the folder
 * cannot be written to or flushed to disk
 * @example
 * ```ts
 * SnowflakeModule.forRootAsync({
 *   inject: [ConfigService],
 *   useFactory: (config: ConfigService) => {
 *     const store = redisLeaseStore({ url: config.getOrThrow('REDIS_URL'), namespace: 'shop' });
 *     return { store: withLocalWindow(store, { file: '/var/lib/shop/snowflake.window' }) };
 *   },
 * })
 * ```
 */
export function withLocalWindow(store: LeaseStore, options: LocalWindowOptions): LeaseStore {
  const { file, clock } = checkedOptions('localWindow', options, OPTIONS);
  requireMethods('localWindow.store', store, ['lease', 'release', 'close'], USE);
  if (!store.renewable) {
    throw new InvalidOptionError('localWindow.store', store.description, 'has no windows to keep', USE);
  }
  return new LocalWindowStore(store, file, clock);
}
