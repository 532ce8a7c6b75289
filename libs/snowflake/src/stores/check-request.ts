import { InvalidOptionError } from '../core/errors/input-errors.js';
import type { BackfillRequest, LeaseRequest, ReleaseRequest } from '../lease/lease-store.js';
import { workerRangeOf } from '../lease/registry-overview.js';

/** Largest number that a registry holds: 15 digits, see `registry-format.ts`. */
const MAX_STORED = 999_999_999_999_999;
const MAX_WINDOW_MS = 24 * 60 * 60 * 1000;
const WORKER_ID_LIMIT = 2 ** 31;
const MAX_ATTEMPTS = 64;
const ATTEMPT = /^[^@~:]{1,64}$/;
/** Ten times what this library sends. A registry stores it, and returns it to everybody whose layout is another one. */
const LONGEST_LAYOUT = 1000;

function checkWholeNumber(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new InvalidOptionError(
    name,
    value,
    `must be a whole number in ${min}..${max}`,
    'Correct the caller: one invalid value in a registry would stop every holder of its namespace.',
  );
}

type RangeRequest = Pick<LeaseRequest, 'layout' | 'firstWorkerId' | 'workerCount'>;

function checkLayout(layout: string): void {
  if (layout.length >= 1 && layout.length <= LONGEST_LAYOUT) return;
  throw new InvalidOptionError(
    'layout',
    layout.slice(0, LONGEST_LAYOUT),
    `must have 1 to ${LONGEST_LAYOUT} characters`,
    'Pass a string that identifies the bit layout, the epoch and the range of worker IDs.',
  );
}

/**
 * A namespace has one layout, and so one range of worker IDs. Those beside it can belong to processes that lease none. A layout of
 * another form names no range.
 */
function checkRange({ layout, firstWorkerId, workerCount }: RangeRequest): void {
  const { first = firstWorkerId, count = workerCount } = workerRangeOf(layout) ?? {};
  if (firstWorkerId === first && workerCount === count) return;
  throw new InvalidOptionError(
    firstWorkerId === first ? 'workerCount' : 'firstWorkerId',
    firstWorkerId === first ? workerCount : firstWorkerId,
    `does not fit the layout, which ends with workers=${first}+${count}`,
    'Request the worker IDs of the layout: another process can use the same IDs as those beside them.',
  );
}

function checkNonce(nonce: string): void {
  if (/^[^@~]{1,200}$/.test(nonce)) return;
  throw new InvalidOptionError(
    'nonce',
    nonce,
    "must have 1 to 200 characters and no '@' or '~'",
    "Use 16 random hex digits, ':' and a name of the holder.",
  );
}

function checkAttempts(attempts: readonly string[]): void {
  const areNonces = attempts.every((each: unknown) => typeof each === 'string' && ATTEMPT.test(each));
  if (areNonces && attempts.length >= 1 && attempts.length <= MAX_ATTEMPTS) return;
  throw new InvalidOptionError(
    'attempts',
    attempts,
    `must list 1 to ${MAX_ATTEMPTS} nonces of 1 to 64 characters without '@', '~' and ':'`,
    'Use 16 random hex digits for each attempt.',
  );
}

/**
 * Refuses a request that a registry could not store or read back, and one for other worker IDs than those of its layout.
 *
 * @throws InvalidOptionError that names the first value out of bounds
 */
export function checkLeaseRequest(request: LeaseRequest): void {
  const { firstWorkerId, workerCount, claim } = request;
  checkWholeNumber('firstWorkerId', firstWorkerId, 0, WORKER_ID_LIMIT - 1);
  checkWholeNumber('workerCount', workerCount, 1, WORKER_ID_LIMIT - firstWorkerId);
  checkWholeNumber('windowMs', request.windowMs, 1, MAX_WINDOW_MS);
  checkWholeNumber('maxSkewMs', request.maxSkewMs, 0, MAX_WINDOW_MS);
  checkWholeNumber('searchSeed', request.searchSeed, 0, WORKER_ID_LIMIT - 1);
  checkLayout(request.layout);
  checkRange(request);
  checkNonce(request.nonce);
  if (request.attempts !== undefined) checkAttempts(request.attempts);
  if (!claim) return;
  checkWholeNumber('claim.workerId', claim.workerId, 0, WORKER_ID_LIMIT - 1);
  checkWholeNumber('claim.untilMs', claim.untilMs, 0, MAX_STORED);
  if (claim.fencingToken === '') {
    throw new InvalidOptionError(
      'claim.fencingToken',
      claim.fencingToken,
      'is empty',
      'Pass the fencing token of the grant.',
    );
  }
}

/**
 * Refuses a release that a registry could not store or read back.
 *
 * @throws InvalidOptionError that names the first value out of bounds
 */
export function checkReleaseRequest(request: ReleaseRequest): void {
  checkWholeNumber('workerId', request.workerId, 0, WORKER_ID_LIMIT - 1);
  checkWholeNumber('lastUsedMs', request.lastUsedMs, 0, MAX_STORED);
}

/**
 * Refuses a claim of the past that a registry could not store or read back.
 *
 * @throws InvalidOptionError that names the first value out of bounds
 */
export function checkBackfillRequest(request: BackfillRequest): void {
  const { firstWorkerId, workerCount, firstMs } = request;
  checkWholeNumber('firstWorkerId', firstWorkerId, 0, WORKER_ID_LIMIT - 1);
  checkWholeNumber('workerCount', workerCount, 1, WORKER_ID_LIMIT - firstWorkerId);
  checkLayout(request.layout);
  checkRange(request);
  checkWholeNumber('maxShiftMs', request.maxShiftMs, 0, MAX_WINDOW_MS);
  checkWholeNumber('firstMs', firstMs, 1, MAX_STORED);
  checkWholeNumber('untilMs', request.untilMs, firstMs, MAX_STORED - 2 * MAX_WINDOW_MS);
}
