import type { Clock } from '../../core/clock/clock.js';
import { concealed } from '../../core/errors/show-value.js';
import { InvalidOptionError, requireClock, requireOptions } from '../../core/index.js';
import { systemClock } from '../../core/clock/system-clock.js';
import type { LeaseStore } from '../../lease/lease-store.js';
import { FixedLeaseStore } from '../fixed-lease-store.js';

/** Options of {@link environmentLeaseStore}. */
export interface EnvironmentLeaseStoreOptions {
  /**
   * Name of the environment variable that holds the worker ID.
   * Bounds: letters, digits and `_`, no digit first.
   *
   * @defaultValue `'SNOWFLAKE_WORKER_ID'`
   */
  readonly variable?: string;
  /**
   * The object that holds the variable.
   *
   * @defaultValue `process.env`
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * The clock whose time the grant begins at.
   *
   * @defaultValue the system clock
   */
  readonly clock?: Pick<Clock, 'now'>;
}

const OPTIONS = { variable: true, env: true, clock: true } satisfies Record<
  keyof EnvironmentLeaseStoreOptions,
  true
>;
const DEFAULT_VARIABLE = 'SNOWFLAKE_WORKER_ID';
const VARIABLE_NAME = /^[A-Za-z_]\w*$/;
/** Allows one spelling per number, so that two different values are two worker IDs. */
const DECIMAL = /^(0|[1-9]\d{0,9})$/;
/** Values that errors may show: a number in another form, or a short name. */
const LIKE_A_NUMBER = /^([-+.,\d\s]{0,30}|.{0,5})$/;

/**
 * Takes a fixed worker ID from an environment variable, without any server. Reads it when the store is made, not when this
 * module is loaded.
 *
 * Can't detect other processes: two processes with the same value make duplicates, and so does a restart while the clock is
 * behind the last ID made. A warning says so at the start, as an event and in the log.
 *
 * @throws InvalidOptionError if the variable is missing, empty or not a whole number from 0 in plain digits; `lease()`
 * rejects with it if the bit layout cannot hold the worker ID
 */
export function environmentLeaseStore(options: EnvironmentLeaseStoreOptions = {}): LeaseStore {
  requireOptions('environmentLeaseStore', options, OPTIONS);
  const { variable = DEFAULT_VARIABLE, env = process.env, clock = systemClock } = options;
  requireClock('environmentLeaseStore.clock', clock, ['now']);
  if (typeof variable !== 'string' || !VARIABLE_NAME.test(variable)) {
    throw new InvalidOptionError(
      'environmentLeaseStore.variable',
      variable,
      'is not the name of an environment variable',
      `Use letters, digits and _, e.g. ${DEFAULT_VARIABLE}.`,
    );
  }
  if (typeof env !== 'object' || env === null) {
    throw new InvalidOptionError(
      'environmentLeaseStore.env',
      env,
      'is not an object of variables',
      'Omit it to read process.env.',
    );
  }
  const value = env[variable];
  const remedy = `Set ${variable} to a whole number from 0 that the bit layout can hold, different for each process.`;
  if (value === undefined || !DECIMAL.test(value)) {
    throw new InvalidOptionError(variable, shown(value), problemOf(value), remedy);
  }
  return new FixedLeaseStore({
    workerId: Number(value),
    description: `environment variable ${variable}`,
    warning:
      `Nothing checks that only this process uses ${variable}=${value}: two processes with the same value make ` +
      `duplicates, and so does a restart while the clock is behind the last ID made.`,
    clock,
    outOfRange: (first, last) =>
      new InvalidOptionError(
        variable,
        value,
        `is outside the worker IDs of the bit layout, ${first}..${last}`,
        remedy,
      ),
  });
}

/** Hides other values, because the variable may hold a password by mistake. */
function shown(value: string | undefined): unknown {
  return value === undefined || LIKE_A_NUMBER.test(value) ? value : concealed(value);
}

function problemOf(value: string | undefined): string {
  if (value === undefined) return 'is not set in the environment';
  if (value === '') return 'is empty';
  return 'is not a whole number from 0 in plain digits';
}
