import type { Segments, SegmentStatus } from 'nestjs-snowflake-segments';
import type { SegmentWatch, WatchEvent } from '../api/console-api.js';

/** The maximum number of sources per event. An app can have a tag for each of its tenants. */
const MAX_SEGMENTS = 1000;

/** Returns the shown part of the segment sources of an app. */
export function segmentsWatch(
  segments: Pick<Segments, 'tags' | 'source'>,
): Pick<WatchEvent, 'segments' | 'omittedSegments'> {
  const { tags } = segments;
  const shown = tags.slice(0, MAX_SEGMENTS);
  return {
    segments: shown.map((tag) => segmentWatch(segments.source(tag).status())),
    ...(tags.length > shown.length && { omittedSegments: tags.length - shown.length }),
  };
}

/** Returns the shown part of a segment source as plain JSON. */
function segmentWatch(status: SegmentStatus): SegmentWatch {
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
