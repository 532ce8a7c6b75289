import type { BitLayout } from '../core/layout/bit-layout.js';
import type { Clock } from '../core/clock/clock.js';
import type { ClockRollbackPolicy } from '../core/generator/generator-options.js';
import {
  type Checked,
  checkedOptions,
  flag,
  oneOf,
  type OptionRules,
  wholeNumber,
} from '../core/options/option-rule.js';
import type { LeaseRequest, LeaseStore } from './lease-store.js';
import { namespaceFingerprint } from './namespace-fingerprint.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { DEFAULT_CALL_TIMEOUT_MS } from '../kit/call-deadline.js';

/** Durations of the lease protocol. Set `windowMs`; the others have defaults that follow from it. */
export interface LeaseTimingOptions {
  /**
   * Length of the window of timestamps that a lease grants.
   * Bounds: 1,000 to 86,400,000.
   *
   * With a longer window, IDs keep exact timestamps longer while the store is unreachable, and a crashed process keeps its worker ID
   * longer. Use the same value in all processes of a namespace.
   *
   * @defaultValue `60000`
   */
  windowMs?: number;
  /**
   * Interval between renewals, which each process varies by ± 10 %.
   * Bounds: 1 to `windowMs`.
   *
   * @defaultValue `10000`: `windowMs / 6`
   */
  renewEveryMs?: number;
  /**
   * Last part of the window, whose timestamps IDs use up in a long outage of the store.
   * Bounds: 1 to `windowMs`, and at least two ticks.
   *
   * @defaultValue `10000`: `windowMs / 6`
   */
  reserveMs?: number;
  /**
   * How far the clocks of processes and store servers may differ.
   * Bounds: 1 to `windowMs`.
   *
   * If the local clock differs from the store's by more, the ID maker adds the difference to every timestamp. Two store servers must never
   * differ by more if one takes over from the other. Use the same value in all processes of a namespace.
   *
   * @defaultValue `5000`: `windowMs / 12`
   */
  maxSkewMs?: number;
  /**
   * How long one call to the store may take, including connecting.
   * Bounds: 1 to `windowMs`.
   *
   * @defaultValue `2000`: `windowMs / 30`, at most 2,000
   */
  callTimeoutMs?: number;
  /**
   * How long startup waits for the store and for a lease before it fails.
   * Bounds: 1 to 172,815,000.
   *
   * @defaultValue `80000`: `windowMs + maxSkewMs + 15,000`
   */
  acquireTimeoutMs?: number;
}

/**
 * What a new process does if the store may have lost leases: it is empty, or its server restarted or was replaced.
 *
 * - `wait`: waits until every lease that may have been lost has ended.
 * - `ignore`: asserts that nothing was lost, and skips the wait. If processes still hold lost leases, IDs repeat. Use it only in
 *   development and tests.
 */
export type PossibleLossPolicy = 'wait' | 'ignore';

/** Checked {@link LeaseTimingOptions}. */
export type LeaseTiming = Readonly<Required<LeaseTimingOptions>>;

/** Each process renews this much sooner or later than `renewEveryMs`, so that those that start together don't renew together. */
export const RENEWAL_SPREAD_PERCENT = 10;
const MIN_WINDOW_MS = 1000;
const MAX_WINDOW_MS = 24 * 60 * 60 * 1000;
const DEFAULT_WINDOW_MS = 60_000;
const ACQUIRE_MARGIN_MS = 15_000;

/** Checks that durations fit each other. @param tickMs the layout's tick @throws InvalidOptionError */
function checkTogether(options: CheckedLeaseOptions, tickMs: number): void {
  const { windowMs, renewEveryMs, reserveMs, maxSkewMs, callTimeoutMs, acquireTimeoutMs } = options;
  // This counts in hundredths, because 1.1 times 50 is more than 55 in doubles.
  const longestIntervalMs = Math.ceil((renewEveryMs * (100 + RENEWAL_SPREAD_PERCENT)) / 100);
  const busyMs = longestIntervalMs + 2 * callTimeoutMs + maxSkewMs + reserveMs;
  if (busyMs >= windowMs) {
    throw new InvalidOptionError(
      'lease.windowMs',
      windowMs,
      `leaves no time to renew: renewEveryMs + ${RENEWAL_SPREAD_PERCENT} % + 2 x callTimeoutMs + maxSkewMs + reserveMs are ${busyMs} ms`,
      'Make the window longer or the other durations shorter.',
    );
  }
  if (callTimeoutMs > maxSkewMs / 2) {
    throw new InvalidOptionError(
      'lease.callTimeoutMs',
      callTimeoutMs,
      `is more than half of maxSkewMs (${maxSkewMs} ms), so the reading of the store's clock would be too inaccurate`,
      `Use ${Math.floor(maxSkewMs / 2)} ms or less.`,
    );
  }
  if (reserveMs < 2 * tickMs) {
    throw new InvalidOptionError(
      'lease.reserveMs',
      reserveMs,
      `is less than two ticks of ${tickMs} ms`,
      `Use ${2 * tickMs} ms or more, with a longer window.`,
    );
  }
  if (options.possibleLoss !== 'ignore' && acquireTimeoutMs <= windowMs + maxSkewMs) {
    throw new InvalidOptionError(
      'lease.acquireTimeoutMs',
      acquireTimeoutMs,
      `does not outlast the wait for lost leases (windowMs + maxSkewMs = ${windowMs + maxSkewMs} ms)`,
      'Use more than that. For a new namespace, npx nestjs-snowflake-cli init --help shows how to skip the wait.',
    );
  }
}

/** How a process leases its worker ID. */
export interface LeaseOptions extends LeaseTimingOptions {
  /**
   * What a new process does if the store may have lost leases: it is empty, or its server restarted or was replaced.
   *
   * `wait` takes at most `windowMs + maxSkewMs`. For a new namespace, `npx nestjs-snowflake-cli init` skips it.
   *
   * In development and tests, `NODE_ENV` is `development` or `test`. A store on this machine is at `localhost`, a loopback address or a Unix
   * socket, or it is a file.
   *
   * @defaultValue wait, or ignore in development and tests with a store on this machine
   */
  possibleLoss?: PossibleLossPolicy;
  /**
   * Whether startup waits for the first lease.
   *
   * If `false`, startup waits only for the store's first answer, for at most `callTimeoutMs`. Until there is a lease, `nextId()` then throws
   * the retryable `NotReadyError`. Startup still fails if waiting can't help.
   *
   * @defaultValue `true`
   */
  waitAtBoot?: boolean;
  /**
   * Whether startup fails if the local clock differs from the store's by more than `maxSkewMs`.
   *
   * @defaultValue `false`
   */
  strictClock?: boolean;
  /**
   * The first worker ID that this process may lease.
   * Bounds: 0 to 1,023, or the largest value of your worker field.
   *
   * @defaultValue `0`
   */
  firstWorkerId?: number;
  /**
   * How many worker IDs this process may choose from, beginning with `firstWorkerId`.
   * Bounds: 1 to 1,024, or what your worker field leaves from `firstWorkerId` on.
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

/**
 * Returns the rules and defaults of the options: whatever stands here is an option and a setting.
 *
 * @param given the options, on some of which the bounds and defaults of others depend. Their own rules come first, so a wrong one never
 * bounds another
 */
function leaseRules({ maxWorkerId }: Pick<BitLayout, 'maxWorkerId'>, given: LeaseOptions) {
  const windowMs = numberOr(DEFAULT_WINDOW_MS, given.windowMs);
  const maxSkewMs = numberOr(Math.floor(windowMs / 12), given.maxSkewMs);
  const firstWorkerId = numberOr(0, given.firstWorkerId);
  const workerIdsLeft = maxWorkerId + 1 - firstWorkerId;
  const part = (defaultMs: number) => wholeNumber(1, windowMs).or(Math.floor(defaultMs));
  return {
    windowMs: wholeNumber(MIN_WINDOW_MS, MAX_WINDOW_MS).or(DEFAULT_WINDOW_MS),
    renewEveryMs: part(windowMs / 6),
    reserveMs: part(windowMs / 6),
    maxSkewMs: part(windowMs / 12),
    callTimeoutMs: part(Math.min(DEFAULT_CALL_TIMEOUT_MS, windowMs / 30)),
    acquireTimeoutMs: wholeNumber(1, 2 * MAX_WINDOW_MS + ACQUIRE_MARGIN_MS).or(
      windowMs + maxSkewMs + ACQUIRE_MARGIN_MS,
    ),
    // Without a value, the store and NODE_ENV decide.
    possibleLoss: oneOf<PossibleLossPolicy>('wait', 'ignore').optional(),
    waitAtBoot: flag().or(true),
    strictClock: flag().or(false),
    firstWorkerId: wholeNumber(0, maxWorkerId).or(0),
    workerCount: wholeNumber(1, workerIdsLeft).or(workerIdsLeft),
  } satisfies OptionRules<LeaseOptions>;
}

const numberOr = (otherwise: number, given: unknown): number =>
  typeof given === 'number' ? given : otherwise;

type CheckedLeaseOptions = Checked<ReturnType<typeof leaseRules>>;

/** Checked {@link LeaseOptions}, and what else a keeper needs to know. */
export interface KeeperSettings extends CheckedLeaseOptions {
  readonly onClockRollback: ClockRollbackPolicy;
  readonly datacenterId: number;
  /** What all holders of a namespace must agree on. */
  readonly fingerprint: string;
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
  // A caller without types may pass null. The check refuses it, and needs rules for that, whatever their bounds.
  const checked = checkedOptions('lease', options, leaseRules(layout, options ?? {}));
  checkTogether(checked, layout.tickMs);
  const { firstWorkerId, workerCount } = checked;
  return {
    ...checked,
    onClockRollback,
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
