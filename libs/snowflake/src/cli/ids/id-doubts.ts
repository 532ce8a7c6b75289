import type { DecodedId } from '../../core/index.js';

/** Why a decoded ID may not be what it seems, by a stable name and for people. */
export interface Doubt {
  readonly name: 'rounded' | 'future';
  readonly message: string;
}

/** Clocks of servers differ by less. */
const FUTURE_MS = 60_000;

/** Returns what is suspicious about an ID that was given as `input`. */
export function doubtsAbout(decoded: DecodedId, input: string, nowMs: number): Doubt[] {
  const doubts: Doubt[] = [];
  if (input === decoded.id && looksRounded(decoded)) {
    doubts.push({
      name: 'rounded',
      message:
        'It looks like a rounded JavaScript number, so it may be another ID. Send IDs as strings, and quote them in JSON.',
    });
  }
  if (decoded.timestampMs > nowMs + FUTURE_MS) {
    doubts.push({
      name: 'future',
      message:
        'Its time is in the future. Check --layout and --epoch, and the clock of the host that made it.',
    });
  }
  return doubts;
}

/**
 * JavaScript prints a number above 2^53 with as few digits as identify it, and zeros after them. Few IDs happen to
 * have such digits. An ID whose sequence is 0 has them more often, and rounding mostly changes its sequence.
 */
function looksRounded({ id, sequence }: DecodedId): boolean {
  return Number(id) > Number.MAX_SAFE_INTEGER && sequence !== 0 && String(Number(id)) === id;
}
