import { InvalidOptionError } from '../errors/input-errors.js';
import type { BitLayoutOptions, FieldName, LowerFieldName } from './bit-layout-options.js';
import {
  type Checked,
  checkedOptions,
  type OptionRules,
  unchecked,
  wholeNumber,
} from '../options/option-rule.js';

/** The sign bit stays 0, so that IDs are positive in signed 64-bit columns. */
const ID_BITS = 63;
const DEFAULT_ORDER: readonly LowerFieldName[] = ['datacenter', 'worker', 'sequence'];

/** Widths of the fields, in bits. */
export interface FieldWidths {
  readonly timestamp: number;
  readonly worker: number;
  readonly sequence: number;
}

export const NARROWEST: FieldWidths = { timestamp: 22, worker: 0, sequence: 1 };
export const WIDEST: FieldWidths = { timestamp: 53, worker: 31, sequence: 31 };

export const LAYOUT_OPTIONS = {
  timestampBits: wholeNumber(NARROWEST.timestamp, WIDEST.timestamp).optional(),
  datacenterBits: wholeNumber(0, 31).or(0),
  workerBits: wholeNumber(NARROWEST.worker, WIDEST.worker).or(10),
  sequenceBits: wholeNumber(NARROWEST.sequence, WIDEST.sequence).or(12),
  tickMs: wholeNumber(1, 60_000).or(1),
  order: unchecked<readonly LowerFieldName[]>().or(DEFAULT_ORDER),
} satisfies OptionRules<BitLayoutOptions>;

type LayoutSettings = Checked<typeof LAYOUT_OPTIONS>;

/** Checks each option on its own, and fills in the defaults. @throws InvalidOptionError */
export function checkedLayout(options: BitLayoutOptions): LayoutSettings {
  return checkedOptions('layout', options, LAYOUT_OPTIONS, ['epoch', 'datacenterId']);
}

/** Returns the width of each field. @throws InvalidOptionError if they don't fit into an ID together */
export function fieldBits(settings: LayoutSettings): Record<FieldName, number> {
  const { datacenterBits: datacenter, workerBits: worker, sequenceBits: sequence } = settings;
  const room = ID_BITS - datacenter - worker - sequence;
  if (room < NARROWEST.timestamp) {
    throw new InvalidOptionError(
      'layout',
      `${datacenter} + ${worker} + ${sequence} bits`,
      `leaves ${room} bits for the timestamp, which needs ${NARROWEST.timestamp} or more`,
      `Keep datacenterBits + workerBits + sequenceBits at ${ID_BITS - NARROWEST.timestamp} or less.`,
    );
  }
  const { timestampBits: timestamp = Math.min(room, WIDEST.timestamp) } = settings;
  if (timestamp > room) {
    const sum = timestamp + datacenter + worker + sequence;
    throw new InvalidOptionError(
      'layout.timestampBits',
      timestamp,
      `and the other fields have ${sum} bits, and an ID has ${ID_BITS} at most`,
      `Remove ${sum - ID_BITS} from timestampBits, datacenterBits, workerBits or sequenceBits.`,
    );
  }
  return { timestamp, datacenter, worker, sequence };
}

/** Returns the order of the three fields below the timestamp. @throws InvalidOptionError unless it has each one once */
export function lowerFieldOrder({ order, datacenterBits }: LayoutSettings): readonly LowerFieldName[] {
  const named: readonly LowerFieldName[] = Array.isArray(order) ? order : [];
  const mayOmit = datacenterBits === 0 && !named.includes('datacenter');
  const complete: readonly LowerFieldName[] = mayOmit ? [...named, 'datacenter'] : named;
  if (complete.length === 3 && DEFAULT_ORDER.every((name) => complete.includes(name))) {
    return complete;
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
