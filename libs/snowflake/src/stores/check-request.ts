import { InvalidOptionError } from '../core/errors/input-errors.js';
import type { IntegerSchema, ObjectSchema } from '../kit/schema.js';
import type { BackfillRequest, LeaseRequest, ReleaseRequest } from '../lease/lease-store.js';
import { workerRangeOf } from '../lease/namespace-fingerprint.js';
import {
  ATTEMPT,
  BACKFILL_REQUEST,
  LEASE_CLAIM,
  DAY_MS,
  LEASE_REQUEST,
  LONGEST_LAYOUT,
  MOST_ATTEMPTS,
  NONCE,
  RELEASE_REQUEST,
  STORED_MS,
  WORKER_ID,
} from './lease-fields.js';

const isAttempt = new RegExp(ATTEMPT.pattern);
const isNonce = new RegExp(NONCE.pattern);

/** Checks the whole numbers of a request. */
function checkNumbers(request: object, { properties }: ObjectSchema, prefix = ''): void {
  for (const [name, schema] of Object.entries(properties)) {
    if (schema['type'] !== 'integer') continue;
    const { minimum, maximum } = schema as IntegerSchema;
    checkWholeNumber(prefix + name, Reflect.get(request, name), minimum, maximum);
  }
}

function checkWholeNumber(name: string, value: unknown, min: number, max: number): void {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return;
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
 * A namespace has one layout, and so one range of worker IDs. Worker IDs outside it can belong to processes that lease none. A layout of
 * another form names no range.
 */
function checkRange({ layout, firstWorkerId, workerCount }: RangeRequest): void {
  checkWholeNumber('firstWorkerId', firstWorkerId, 0, WORKER_ID.maximum);
  checkWholeNumber('workerCount', workerCount, 1, WORKER_ID.maximum + 1 - firstWorkerId);
  checkLayout(layout);
  const { first = firstWorkerId, count = workerCount } = workerRangeOf(layout) ?? {};
  if (firstWorkerId === first && workerCount === count) return;
  throw new InvalidOptionError(
    firstWorkerId === first ? 'workerCount' : 'firstWorkerId',
    firstWorkerId === first ? workerCount : firstWorkerId,
    `does not fit the layout, which ends with workers=${first}+${count}`,
    'Request only worker IDs of the layout, because other processes can use the ones outside its range.',
  );
}

function checkNonce(nonce: string): void {
  if (isNonce.test(nonce)) return;
  throw new InvalidOptionError(
    'nonce',
    nonce,
    "must have 1 to 200 characters and no '@' or '~'",
    "Use 16 random hex digits, ':' and a name of the holder.",
  );
}

function checkAttempts(attempts: readonly string[]): void {
  const areNonces = attempts.every((each: unknown) => typeof each === 'string' && isAttempt.test(each));
  if (areNonces && attempts.length >= 1 && attempts.length <= MOST_ATTEMPTS) return;
  throw new InvalidOptionError(
    'attempts',
    attempts,
    `must list 1 to ${MOST_ATTEMPTS} nonces of 1 to 64 characters without '@', '~' and ':'`,
    'Use 16 random hex digits for each attempt.',
  );
}

/**
 * Refuses a request that a registry could not store or read back, and one for other worker IDs than those of its layout.
 *
 * @throws InvalidOptionError that names the first value out of bounds
 */
export function checkLeaseRequest(request: LeaseRequest): void {
  const { claim } = request;
  checkRange(request);
  checkNumbers(request, LEASE_REQUEST);
  checkNonce(request.nonce);
  if (request.attempts !== undefined) checkAttempts(request.attempts);
  if (!claim) return;
  checkNumbers(claim, LEASE_CLAIM, 'claim.');
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
  checkNumbers(request, RELEASE_REQUEST);
}

/**
 * Refuses a claim of the past that a registry could not store or read back.
 *
 * @throws InvalidOptionError that names the first value out of bounds
 */
export function checkBackfillRequest(request: BackfillRequest): void {
  const { firstMs, untilMs, firstWorkerId, workerId = firstWorkerId } = request;
  checkRange(request);
  checkNumbers({ ...request, workerId }, BACKFILL_REQUEST);
  checkWholeNumber('untilMs', untilMs, firstMs, STORED_MS.maximum - 2 * DAY_MS);
}
