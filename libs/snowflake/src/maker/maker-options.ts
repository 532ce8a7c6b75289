import { UNKNOWN_SECRETS } from '../core/errors/redaction.js';
import { concealed, UNSHOWN } from '../core/errors/show-value.js';
import {
  BitLayout,
  type BitLayoutOptions,
  DEFAULT_EPOCH,
  InvalidOptionError,
  type Instant,
  layoutPreset,
  requireOptions,
} from '../core/index.js';
import type { RenewalSchedule } from '../lease/index.js';
import type { SnowflakeOptions } from './snowflake-options.js';

const OPTIONS = {
  store: true,
  layout: true,
  epoch: true,
  datacenterId: true,
  onClockRollback: true,
  lease: true,
  holderName: true,
  onSequenceExhausted: true,
  maxDriftMs: true,
  rollbackToleranceMs: true,
  sequenceStart: true,
} satisfies Record<keyof SnowflakeOptions, true>;

/** What every lease store is called for; all else that the port has is optional, or for people. */
const STORE_METHODS = ['lease', 'release', 'close'] as const;

/** Checks what no part of the maker checks by itself. @throws InvalidOptionError */
export function checkMakerOptions(options: SnowflakeOptions): void {
  requireOptions('options', options, OPTIONS);
  requireStore(options.store);
  requireHolderName(options.holderName);
}

/** Refuses what could neither be started nor be stopped. @throws InvalidOptionError */
export function checkSchedule(schedule: Partial<RenewalSchedule> | null | undefined): void {
  if (schedule === undefined) return;
  if (schedule && typeof schedule.start === 'function' && typeof schedule.stop === 'function') return;
  throw new InvalidOptionError(
    'schedule',
    schedule,
    'is no renewal schedule',
    'Pass an object with start(everyMs, task) and stop(), or nothing to renew by timers of its own.',
  );
}

/** The layout that is meant: widths, or the name of a preset with its epoch. @throws InvalidOptionError */
export function layoutOf(
  layout: BitLayoutOptions | string | undefined,
  epoch: Instant | undefined,
): BitLayout {
  if (typeof layout !== 'string') return new BitLayout(layout, epoch ?? DEFAULT_EPOCH);
  const preset = layoutPreset(layout);
  return new BitLayout(preset.layout, epoch ?? preset.epoch);
}

function requireHolderName(name: unknown): void {
  if (name === undefined || (typeof name === 'string' && name !== '')) return;
  throw new InvalidOptionError(
    'holderName',
    name,
    'is no name',
    'Use a string that tells this process from others.',
  );
}

/** Logs, errors and the status show it. */
function requireShowable(description: unknown): void {
  if (typeof description !== 'string' || UNKNOWN_SECRETS.clean(description) === description) return;
  throw new InvalidOptionError(
    'store.description',
    UNSHOWN,
    'holds what looks like a password, and logs show it',
    'Name the kind of the store and its namespace instead.',
  );
}

function requireStore(store: Partial<SnowflakeOptions['store']> | undefined): void {
  if (store && STORE_METHODS.every((name) => typeof store[name] === 'function')) {
    return requireShowable(store.description);
  }
  throw new InvalidOptionError(
    'store',
    concealed(store),
    'is no lease store',
    "Use e.g. redisLeaseStore({ url: 'redis://localhost:6379', namespace: 'shop' }) of nestjs-snowflake/redis.",
  );
}
