import { InvalidOptionError } from '../errors/index.js';
import type { BitLayoutOptions, FieldName, Instant, LowerFieldName } from './bit-layout-options.js';
import { requireOptions, requireWholeNumber } from '../options/option-checks.js';

/** The sign bit stays 0, so that IDs are positive in signed 64-bit columns. */
const ID_BITS = 63;
const MIN_TIMESTAMP_BITS = 22;
const MAX_TIMESTAMP_BITS = 53;
const DEFAULT_ORDER: readonly LowerFieldName[] = ['datacenter', 'worker', 'sequence'];

/** Matches a date without a time, which JavaScript parses as UTC, or a string that ends with a time zone. */
const SAME_EVERYWHERE = /^[+-]?\d{4,6}(-\d\d){0,2}$|(Z|GMT|UTC|[+-]\d\d:?\d\d)$/i;

/**
 * Converts an instant to Unix time in milliseconds.
 *
 * @throws InvalidOptionError if it is invalid, or its meaning depends on the time zone of the process
 */
export function instantMs(option: string, instant: Instant): number {
  if (typeof instant === 'string' && !Number.isNaN(Date.parse(instant)) && !SAME_EVERYWHERE.test(instant)) {
    throw new InvalidOptionError(
      option,
      instant,
      'is a different instant in each time zone',
      "Add 'Z' for UTC, or an offset such as '+01:00'.",
    );
  }
  const ms =
    typeof instant === 'number'
      ? instant
      : typeof instant === 'string'
        ? Date.parse(instant)
        : instant instanceof Date
          ? instant.getTime()
          : Number.NaN;
  if (Number.isSafeInteger(ms) && Math.abs(ms) <= 8.64e15) return ms;
  throw new InvalidOptionError(
    option,
    instant,
    'is not a valid instant',
    "Use an ISO 8601 string such as '2024-01-01T00:00:00Z', a Date, or Unix time in whole milliseconds.",
  );
}

export const LAYOUT_OPTIONS = {
  timestampBits: true,
  datacenterBits: true,
  workerBits: true,
  sequenceBits: true,
  tickMs: true,
  order: true,
} satisfies Record<keyof BitLayoutOptions, true>;

/** Throws on unknown layout options. @throws InvalidOptionError */
export function requireLayoutOptions(options: BitLayoutOptions): void {
  requireOptions('layout', options, LAYOUT_OPTIONS, ['epoch', 'datacenterId']);
}

/** Returns the width of each field. Validates them one by one and together. @throws InvalidOptionError */
export function fieldBits(options: BitLayoutOptions): Record<FieldName, number> {
  const datacenter = requireWholeNumber('layout.datacenterBits', options.datacenterBits ?? 0, 0, 31);
  const worker = requireWholeNumber('layout.workerBits', options.workerBits ?? 10, 0, 31);
  const sequence = requireWholeNumber('layout.sequenceBits', options.sequenceBits ?? 12, 1, 31);
  const lower = datacenter + worker + sequence;
  const room = ID_BITS - lower;
  if (room < MIN_TIMESTAMP_BITS) {
    throw new InvalidOptionError(
      'layout',
      `${datacenter} + ${worker} + ${sequence} bits`,
      `leaves ${room} bits for the timestamp, which needs ${MIN_TIMESTAMP_BITS} or more`,
      `Keep datacenterBits + workerBits + sequenceBits at ${ID_BITS - MIN_TIMESTAMP_BITS} or less.`,
    );
  }
  const timestamp = requireWholeNumber(
    'layout.timestampBits',
    options.timestampBits ?? Math.min(room, MAX_TIMESTAMP_BITS),
    MIN_TIMESTAMP_BITS,
    Math.min(room, MAX_TIMESTAMP_BITS),
  );
  return { timestamp, datacenter, worker, sequence };
}

/** Returns the order of the three fields below the timestamp. @throws InvalidOptionError unless it has each one once */
export function lowerFieldOrder(options: BitLayoutOptions): readonly LowerFieldName[] {
  const order = options.order ?? DEFAULT_ORDER;
  const complete = Array.isArray(order)
    ? [
        ...order,
        ...((options.datacenterBits ?? 0) === 0 && !order.includes('datacenter') ? ['datacenter'] : []),
      ]
    : [];
  if (complete.length === 3 && DEFAULT_ORDER.every((name) => complete.includes(name))) {
    return complete as LowerFieldName[];
  }
  throw new InvalidOptionError(
    'layout.order',
    order,
    "must name 'datacenter', 'worker' and 'sequence' once each",
    "List them most significant first, without the timestamp, such as ['datacenter', 'worker', 'sequence'].",
  );
}

/** Puts the fields that a layout has no bits for before those in `order`, because an order names all of them. */
export function withEveryLowerField(order: readonly LowerFieldName[]): readonly LowerFieldName[] {
  return [...DEFAULT_ORDER.filter((name) => !order.includes(name)), ...order];
}
