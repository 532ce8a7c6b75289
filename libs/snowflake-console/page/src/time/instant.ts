import { BitLayout, type Instant } from 'nestjs-snowflake/core';
import { numberOf } from '../state/parameters.js';

/** Returns an instant as Unix time in milliseconds, as the library reads it; undefined if it isn't one. */
export function instantOf(instant: Instant): number | undefined {
  try {
    return new BitLayout({}, instant).epochMs;
  } catch {
    return undefined;
  }
}

/** Reads an instant of an address. Links that people write by hand have Unix times in milliseconds, too. */
export function instantIn(text: string): number | undefined {
  return instantOf(numberOf(text) ?? text);
}
