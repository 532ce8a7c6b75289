import type { BitLayout } from '../core/layout/bit-layout.js';
import type { Clock } from '../core/clock/clock.js';
import type { ClockRollbackPolicy } from '../core/generator/generator-options.js';
import { checkedOptions, flag, oneOf, type OptionRules, wholeNumber } from '../core/options/option-rule.js';
import {
  leaseTiming,
  type LeaseTiming,
  type LeaseTimingOptions,
  type PossibleLossPolicy,
  timingRules,
} from './lease-timing.js';
import type { LeaseRequest, LeaseStore } from './lease-store.js';
import { namespaceFingerprint } from './namespace-fingerprint.js';

/** How a process leases its worker ID. */
export interface LeaseOptions extends LeaseTimingOptions {
  /**
   * What a new process does if the store may have lost leases: it is empty, or its server restarted or was replaced.
   *
   * `wait` waits until every lease that may have been lost has ended: at most `windowMs + maxSkewMs`. For a new
   * namespace, `npx nestjs-snowflake-cli init` skips this wait. `ignore` asserts that nothing was lost, and never
   * waits; stored leases are still respected. If the assertion is wrong, IDs repeat. Use `ignore` in development and
   * tests only.
   *
   * The default is `ignore` if the environment variable `NODE_ENV` is `development` or `test` when the maker starts and the
   * address of the store is this machine: `localhost`, a loopback address, a Unix socket or a file. Otherwise it is `wait`.
   *
   * @defaultValue wait, or ignore in development and tests with a store on this machine
   */
  possibleLoss?: PossibleLossPolicy;
  /**
   * Whether the start fails if the local clock differs from the store's by more than `maxSkewMs`.
   *
   * If `false`, the maker corrects the clock: it adds the difference to every timestamp.
   *
   * @defaultValue `false`
   */
  strictClock?: boolean;
  /**
   * The first worker ID that may be leased.
   * Bounds: 0 to 1,023.
   *
   * The upper bound is the largest value of the worker field, which has 10 bits by default.
   *
   * @defaultValue `0`
   */
  firstWorkerId?: number;
  /**
   * How many worker IDs may be leased, from `firstWorkerId` on.
   * Bounds: 1 to 1,024.
   *
   * The upper bound is the number of values from `firstWorkerId` on in the worker field, which has 10 bits by default.
   *
   * @defaultValue `1024`: all from `firstWorkerId` on
   */
  workerCount?: number;
}

/** What a lease keeper needs from outside. */
export interface KeeperEnvironment {
  readonly clock: Clock;
  /** Returns a number in [0, 1). Spreads retries; safety does not depend on it. */
  random(): number;
  /** Returns 16 random hex digits, different at each call in every process and in each copy of its memory. */
  nonce(): string;
  /** Name of this process for people who read the store, e.g. `web-1/4711`. */
  readonly holderName: string;
  /** Returns the environment variable `NODE_ENV`. */
  nodeEnv(): string | undefined;
}

/** Checked {@link LeaseOptions}. */
export interface KeeperSettings extends LeaseTiming {
  /** Undefined if it depends on the store and on `NODE_ENV`. */
  readonly possibleLoss: PossibleLossPolicy | undefined;
  readonly strictClock: boolean;
  readonly onClockRollback: ClockRollbackPolicy;
  readonly firstWorkerId: number;
  readonly workerCount: number;
  readonly datacenterId: number;
  /** What all holders of a namespace must agree on. */
  readonly fingerprint: string;
}

/** Returns the rules of the options. @param given the options, on some of which the bounds of others depend */
function leaseRules({ maxWorkerId }: Pick<BitLayout, 'maxWorkerId'>, given: LeaseOptions) {
  const first = typeof given.firstWorkerId === 'number' ? given.firstWorkerId : 0;
  const room = maxWorkerId + 1 - first;
  return {
    ...timingRules(given.windowMs),
    possibleLoss: oneOf<PossibleLossPolicy>('wait', 'ignore').optional(),
    strictClock: flag().or(false),
    firstWorkerId: wholeNumber(0, maxWorkerId).or(0),
    workerCount: wholeNumber(1, room).or(room),
  } satisfies OptionRules<LeaseOptions>;
}

/** The names of the {@link LeaseOptions}. */
export const LEASE_OPTION_NAMES: readonly string[] = Object.keys(leaseRules({ maxWorkerId: 0 }, {}));

/** Checks options and fills in the defaults. @throws InvalidOptionError */
export function keeperSettings(
  layout: BitLayout,
  options: LeaseOptions,
  onClockRollback: ClockRollbackPolicy = 'switch',
  datacenterId = 0,
): KeeperSettings {
  // Not an object from a caller without types: then the check refuses it, whatever the bounds are.
  const { possibleLoss, strictClock, firstWorkerId, workerCount, ...durations } = checkedOptions(
    'lease',
    options,
    leaseRules(layout, options ?? {}),
  );
  return {
    ...leaseTiming(durations, layout.tickMs, possibleLoss),
    possibleLoss,
    strictClock,
    onClockRollback,
    firstWorkerId,
    workerCount,
    datacenterId: wholeNumber(0, layout.maxDatacenterId).check('datacenterId', datacenterId),
    fingerprint: namespaceFingerprint(layout, { first: firstWorkerId, count: workerCount }),
  };
}

/**
 * Returns whether a process that starts may assume that nothing was lost: its options assert it, or NODE_ENV is development or test and
 * the store runs on this machine.
 */
export function ignoresLoss(
  { possibleLoss }: Pick<KeeperSettings, 'possibleLoss'>,
  { isOnLoopback = false }: Pick<LeaseStore, 'isOnLoopback'>,
  nodeEnv: string | undefined,
): boolean {
  return possibleLoss === undefined ? isOnLoopback && isDevelopment(nodeEnv) : possibleLoss === 'ignore';
}

/** Whether `NODE_ENV` names a place where no IDs are kept. Unset, it says nothing: Nest and Node.js don't set it in production. */
export function isDevelopment(nodeEnv: string | undefined): boolean {
  return nodeEnv === 'development' || nodeEnv === 'test';
}

/** Returns what every request of these settings says alike. */
export function sharedRequest({
  fingerprint,
  firstWorkerId,
  workerCount,
  windowMs,
  maxSkewMs,
}: KeeperSettings): Pick<
  LeaseRequest,
  'layout' | 'firstWorkerId' | 'workerCount' | 'windowMs' | 'maxSkewMs'
> {
  return { layout: fingerprint, firstWorkerId, workerCount, windowMs, maxSkewMs };
}

/** Makes a holder's name fit for a fencing token: printable, without space, `@` or `:`, at most 64 characters. */
export function sanitizedHolderName(name: string): string {
  return name.replace(/[^A-Za-z0-9._/-]/g, '_').slice(0, 64);
}
