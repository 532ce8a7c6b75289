import { UNKNOWN_SECRETS } from '../core/errors/redaction.js';
import { REDACTED } from '../core/errors/show-value.js';
import type { Clock } from '../core/clock/clock.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { LAYOUT_OPTIONS } from '../core/layout/layout-validation.js';
import { requireClock, requireMethods, requireOptions } from '../core/options/option-checks.js';
import {
  type Checked,
  checkedBy,
  checkedOptions,
  type OptionRules,
  text,
  unchecked,
} from '../core/options/option-rule.js';
import { systemClock } from '../core/clock/system-clock.js';
import { isDevelopment, LEASE_OPTION_NAMES } from '../lease/lease-options.js';
import type { LeaseStore } from '../lease/lease-store.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import type { SnowflakeOptions, SnowflakeDependencies } from './snowflake-options.js';

/** The rules of the options of an ID maker. Those that are unchecked here are checked by the part that takes them. */
const MAKER_OPTIONS = {
  store: checkedBy(requireStore).optional(),
  layout: unchecked<SnowflakeOptions['layout']>(),
  epoch: unchecked<SnowflakeOptions['epoch']>(),
  datacenterId: unchecked<number | undefined>(),
  lease: unchecked<SnowflakeOptions['lease']>(),
  holderName: text(
    /./s,
    'must be a string that is not empty',
    'Use a name that distinguishes this process from others.',
  ).optional(),
  onSequenceExhausted: unchecked<SnowflakeOptions['onSequenceExhausted']>(),
  maxDriftMs: unchecked<SnowflakeOptions['maxDriftMs']>(),
  onClockRollback: unchecked<SnowflakeOptions['onClockRollback']>(),
  rollbackToleranceMs: unchecked<SnowflakeOptions['rollbackToleranceMs']>(),
  sequenceStart: unchecked<SnowflakeOptions['sequenceStart']>(),
  /** Of the module, which checks it. Ignored here, so that a script can pass the options of its app. */
  drainTimeoutMs: unchecked<unknown>(),
} satisfies OptionRules<SnowflakeOptions & { readonly drainTimeoutMs?: unknown }>;

const STORE_REMEDY =
  "Use redisLeaseStore({ url: process.env.REDIS_URL, namespace: 'shop' }) of nestjs-snowflake/redis, or " +
  "sqlLeaseStore({ url: process.env.DATABASE_URL, namespace: 'shop' }) of nestjs-snowflake/sql.";

const DEPENDENCIES = { clock: true } satisfies Record<keyof SnowflakeDependencies, true>;

/** Options of the groups inside, which users also look for at the top. */
const NESTED_OPTIONS = [
  ...Object.keys(LAYOUT_OPTIONS).map((name) => `layout.${name}`),
  ...LEASE_OPTION_NAMES.map((name) => `lease.${name}`),
];

/** Checks the options of an ID maker. @throws InvalidOptionError */
export function checkMakerOptions(options: SnowflakeOptions): Checked<typeof MAKER_OPTIONS> {
  return checkedOptions('options', options, MAKER_OPTIONS, NESTED_OPTIONS);
}

/** Returns the clock to use. @throws InvalidOptionError */
export function clockOf(dependencies: SnowflakeDependencies): Clock {
  requireOptions('dependencies', dependencies, DEPENDENCIES);
  return requireClock('dependencies.clock', dependencies.clock ?? systemClock, [
    'now',
    'blockUntil',
    'schedule',
  ]);
}

/**
 * Returns the store of the options, or one in memory in development and tests.
 *
 * @throws InvalidOptionError if there is none elsewhere
 */
export function storeOf(options: SnowflakeOptions, nodeEnv: string | undefined): LeaseStore {
  if (options.store) return options.store;
  if (isDevelopment(nodeEnv)) return memoryLeaseStore();
  throw new InvalidOptionError(
    'store',
    undefined,
    'is missing, and NODE_ENV is neither development nor test, where leases would be kept in memory',
    STORE_REMEDY,
  );
}

function requireStore(option: string, store: unknown): LeaseStore {
  const usable = requireMethods<LeaseStore>(
    option,
    store as LeaseStore,
    ['lease', 'release', 'close'],
    STORE_REMEDY,
  );
  const { description }: { description: unknown } = usable;
  if (typeof description !== 'string' || UNKNOWN_SECRETS.clean(description) === description) return usable;
  throw new InvalidOptionError(
    'store.description',
    REDACTED,
    'seems to hold a password, which logs, errors and the status would show',
    'Name the kind of the store and its namespace instead.',
  );
}
