import type { Settings } from '../settings.js';
import { type SingleCalls, timeEndsOfSegments, timeFirstsOfTurns, timeSingleCalls } from './single-calls.js';
import { measureSpeeds, type Speed } from './speed.js';
import { measureTraffic, type TrafficResult } from './traffic.js';
import { measureUniqueness, type Uniqueness } from './uniqueness.js';

/** What one run found, as docs/bench/segments.json has it. */
export interface SegmentReport {
  readonly speeds: readonly Speed[];
  readonly singleCalls: readonly SingleCalls[];
  readonly traffic: readonly TrafficResult[];
  readonly uniqueness: Uniqueness;
}

/** Measures segments, speeds first, because later code changes the type feedback of V8. */
export async function measureSegments(
  settings: Settings,
  onStep: (note: string) => void,
): Promise<SegmentReport> {
  const after = <Result>(note: string, result: Result): Result => {
    onStep(note);
    return result;
  };
  return {
    speeds: after('speeds', await measureSpeeds(settings)),
    singleCalls: [
      after('single calls', await timeSingleCalls(settings)),
      after('firsts of turns', await timeFirstsOfTurns(settings)),
      after('ends of segments', await timeEndsOfSegments(settings)),
    ],
    traffic: after('traffic', await measureTraffic(settings)),
    uniqueness: after('uniqueness', await measureUniqueness(settings)),
  };
}

/** Steps of {@link measureSegments}. */
export const SEGMENT_STEPS = 6;
