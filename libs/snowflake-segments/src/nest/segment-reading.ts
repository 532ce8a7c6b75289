import type { SegmentReading } from 'nestjs-snowflake/internal/kit/segment-meter';
import type { SegmentStatus } from '../segments/segment-source.js';
import type { Segments } from '../segments/segments.js';

/** Counts what the sources of an app claim. @returns a function that reads their present state */
export function segmentReader(segments: Segments): () => SegmentReading {
  const statuses = (): SegmentStatus[] => segments.tags.flatMap((tag) => segments.find(tag)?.status() ?? []);
  // The first segments were claimed before anybody could subscribe.
  let claimed = statuses().reduce((sum, { issued, left }) => sum + issued + left, 0);
  segments.subscribe((event) => {
    if (event.type === 'claimed') claimed += event.count;
  });
  return () => {
    const all = statuses();
    const shortestMs = Math.min(...all.map(({ lastsMs }) => lastsMs));
    return {
      ready: all.filter(({ state }) => state === 'ready').length,
      exhausted: all.filter(({ state }) => state === 'exhausted').length,
      failing: all.filter(({ lastError }) => lastError !== undefined).length,
      claimed,
      shortestMs: Number.isFinite(shortestMs) ? shortestMs : undefined,
    };
  };
}
