import { UNKNOWN_SECRETS } from '../core/errors/redaction.js';
import { redact, REDACTED } from '../core/errors/show-value.js';
import type { Clock } from '../core/clock/clock.js';
import { GENERATOR_OPTIONS } from '../core/generator/generator-options.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { LAYOUT_OPTIONS } from '../core/layout/layout-validation.js';
import { requireClock, requireOptions, requireText } from '../core/options/option-checks.js';
import { systemClock } from '../core/clock/system-clock.js';
import { LEASE_OPTIONS } from '../lease/keeper-settings.js';
import type { RenewalSchedule } from '../lease/renewal-schedule.js';
import type { SnowflakeOptions, SnowflakeDependencies } from './snowflake-options.js';

/** The names of the options of an ID maker. */
export const MAKER_OPTIONS = {
  store: true,
  layout: true,
  epoch: true,
  datacenterId: true,
  lease: true,
  holderName: true,
  ...GENERATOR_OPTIONS,
} satisfies Record<keyof SnowflakeOptions, unknown>;

const DEPENDENCIES = { clock: true } satisfies Record<keyof SnowflakeDependencies, true>;

/** Methods that every lease store must have. */
const STORE_METHODS = ['lease', 'release', 'close'] as const;

/** Options of the groups inside, which users also look for at the top. */
const NESTED_OPTIONS = [
  ...Object.keys(LAYOUT_OPTIONS).map((name) => `layout.${name}`),
  ...Object.keys(LEASE_OPTIONS).map((name) => `lease.${name}`),
];

/** Refuses unknown options of an ID maker, or of a module that has more. @throws InvalidOptionError */
export function requireKnownOptions(options: unknown, known: Readonly<Record<string, unknown>>): void {
  requireOptions('options', options, known, NESTED_OPTIONS);
}

/** Checks the options that no part of the maker checks by itself. @throws InvalidOptionError */
export function checkMakerOptions(options: SnowflakeOptions): void {
  requireKnownOptions(options, MAKER_OPTIONS);
  requireStore(options.store);
  if (options.holderName !== undefined) {
    requireText('holderName', options.holderName, 'Use a name that distinguishes this process from others.');
  }
}

/** Refuses an object that can't be started and stopped. @throws InvalidOptionError */
export function checkSchedule(schedule: Partial<RenewalSchedule> | null | undefined): void {
  if (schedule === undefined) return;
  if (schedule && typeof schedule.start === 'function' && typeof schedule.stop === 'function') return;
  throw new InvalidOptionError(
    'schedule',
    schedule,
    'must have start() and stop()',
    'Pass an object with start(everyMs, task) and stop(), or nothing to renew by timers.',
  );
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

/** Refuses a description with a password: logs, errors and the status show it. */
function requireShowable(description: unknown): void {
  if (typeof description !== 'string' || UNKNOWN_SECRETS.clean(description) === description) return;
  throw new InvalidOptionError(
    'store.description',
    REDACTED,
    'seems to hold a password, which logs would show',
    'Name the kind of the store and its namespace instead.',
  );
}

function requireStore(store: Partial<SnowflakeOptions['store']> | undefined): void {
  if (store && STORE_METHODS.every((name) => typeof store[name] === 'function')) {
    return requireShowable(store.description);
  }
  throw new InvalidOptionError(
    'store',
    redact(store),
    'is not a lease store',
    "Use e.g. redisLeaseStore({ url: 'redis://localhost:6379', namespace: 'shop' }) of nestjs-snowflake/redis.",
  );
}
