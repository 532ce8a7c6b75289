import { type BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { type FoundId, isInRange } from './found-ids.js';

/** A layout that the IDs may belong to. */
export interface Candidate {
  readonly layout: BitLayout;
}

const CONSIDERED = 200;
const YEARS_MS = 15 * 31_556_952_000;
const MOSTLY = 0.9;
const HARDLY = 0.5;

/** If half of the time of a layout lies in these years, about half of all random numbers fit it. */
const TELLING = 0.5;

/**
 * Returns the layouts that give these IDs a time in the last fifteen years, if the present layout mostly doesn't. Two
 * layouts of the same widths differ only in the time, so this is a hint and no proof. A layout that gives almost any
 * number such a time is no evidence, so it is left out.
 */
export function betterFitting<Choice extends Candidate>(
  ids: readonly FoundId[],
  present: BitLayout,
  nowMs: number,
  candidates: readonly Choice[],
): readonly Choice[] {
  const considered = ids.filter(({ id }) => isInRange(id)).slice(0, CONSIDERED);
  if (considered.length === 0 || plausibleShare(considered, present, nowMs) >= HARDLY) return [];
  return candidates.filter(
    ({ layout }) =>
      shareInYears(layout, nowMs) <= TELLING && plausibleShare(considered, layout, nowMs) >= MOSTLY,
  );
}

/** Returns how much of the time of a layout lies in the last fifteen years. */
function shareInYears({ epochMs, expiresAt }: BitLayout, nowMs: number): number {
  const endMs = expiresAt.getTime();
  const within = Math.min(endMs, nowMs) - Math.max(epochMs, nowMs - YEARS_MS);
  return Math.max(0, within) / (endMs - epochMs);
}

function plausibleShare(ids: readonly FoundId[], layout: BitLayout, nowMs: number): number {
  const decoder = new IdDecoder(layout);
  const plausible = ids.filter(({ id }) => {
    try {
      const { timestampMs, tick } = decoder.decode(id);
      return tick > 0 && timestampMs <= nowMs + 1000 && timestampMs > nowMs - YEARS_MS;
    } catch {
      return false;
    }
  });
  return plausible.length / ids.length;
}
