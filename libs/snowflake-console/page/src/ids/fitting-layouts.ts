import { BitLayout, IdDecoder, layoutPresets, type LayoutPresetName } from 'nestjs-snowflake/core';
import { type FoundId, isInRange } from './found-ids.js';

const CONSIDERED = 200;
const YEARS_MS = 15 * 31_556_952_000;
const MOSTLY = 0.9;
const HARDLY = 0.5;

/**
 * Returns the presets that give these IDs a time in the last fifteen years, if the present layout mostly doesn't. Two
 * layouts of the same widths differ in the time alone, so this is a hint and no proof.
 */
export function betterFitting(
  ids: readonly FoundId[],
  present: BitLayout,
  nowMs: number,
): readonly LayoutPresetName[] {
  const considered = ids.filter(({ id }) => isInRange(id)).slice(0, CONSIDERED);
  if (considered.length === 0 || plausibleShare(considered, present, nowMs) >= HARDLY) return [];
  return (Object.keys(layoutPresets) as LayoutPresetName[]).filter((name) => {
    const { layout, epoch } = layoutPresets[name];
    return plausibleShare(considered, new BitLayout(layout, epoch), nowMs) >= MOSTLY;
  });
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
