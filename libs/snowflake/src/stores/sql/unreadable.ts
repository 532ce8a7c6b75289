import type { UnreadableField } from '../registry-format.js';

/** Ends a call at the first value that this library did not write. */
export class Unreadable extends Error implements UnreadableField {
  constructor(
    readonly field: string,
    readonly stored: string,
  ) {
    super(field);
  }
}
