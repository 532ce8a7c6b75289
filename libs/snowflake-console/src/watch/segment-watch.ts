import type { SegmentStatus } from 'nestjs-snowflake/segments';
import type { SegmentWatch } from '../console-api.js';

/** Returns what people see of a source of segments, as plain JSON. */
export function segmentWatch(status: SegmentStatus): SegmentWatch {
  const { tag, state, left, highest, issued, perSecond, lastsMs, lastError } = status;
  return {
    tag,
    state,
    left,
    ...(highest !== undefined && { highest }),
    issued,
    perSecond,
    // JSON has no infinity.
    ...(Number.isFinite(lastsMs) && { lastsMs }),
    ...(lastError && { lastErrorCode: lastError.code }),
  };
}
