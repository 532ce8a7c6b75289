import type { BitLayoutOptions } from 'nestjs-snowflake/core';
import { instantOf } from '../time/instant.js';

/** The options of a layout that are numbers. */
export type Width = Exclude<keyof BitLayoutOptions, 'order'>;

/** The bounds of each option, independent of the others. */
export const WIDTH_BOUNDS: Readonly<Record<Width, { readonly least: number; readonly most: number }>> = {
  timestampBits: { least: 22, most: 53 },
  datacenterBits: { least: 0, most: 31 },
  workerBits: { least: 0, most: 31 },
  sequenceBits: { least: 1, most: 31 },
  tickMs: { least: 1, most: 60_000 },
};

/** The bits of an ID without its sign. */
export const ID_BITS = 63;

/** Returns how many bits the fields have together. */
export function bitsOfFields({
  timestampBits = 0,
  datacenterBits = 0,
  workerBits = 0,
  sequenceBits = 0,
}: BitLayoutOptions): number {
  return timestampBits + datacenterBits + workerBits + sequenceBits;
}

/** Returns whether a text is an instant that doesn't depend on the time zone. */
export function isEpoch(text: string): boolean {
  return instantOf(text) !== undefined;
}
