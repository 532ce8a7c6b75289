import type { SegmentReading } from '../../kit/segment-meter.js';
import { type ObservedMetric, STATE_ATTRIBUTE } from './metrics.js';

/** The metrics of the segments of an app, read when they are collected. */
export const SEGMENT_METRICS: readonly ObservedMetric<SegmentReading>[] = [
  {
    name: 'snowflake.segments.tags',
    kind: 'sum',
    unit: '{tag}',
    description: 'Tags of segments in this state: ready if a number is at hand, else exhausted',
    inCluster: 'sum',
    attribute: STATE_ATTRIBUTE,
    read: ({ ready, exhausted }) => ({ ready, exhausted }),
  },
  {
    name: 'snowflake.segments.failing',
    kind: 'sum',
    unit: '{tag}',
    description: 'Tags whose last claim failed',
    inCluster: 'sum',
    read: ({ failing }) => ({ failing }),
  },
  {
    name: 'snowflake.segments.claimed',
    kind: 'counter',
    unit: '{number}',
    description: 'Numbers that were claimed',
    inCluster: 'sum',
    read: ({ claimed }) => ({ claimed }),
  },
  {
    name: 'snowflake.segments.left',
    kind: 'gauge',
    unit: 's',
    description: 'How long the numbers of the tag last that runs out first; absent if no tag issues any',
    inCluster: 'min',
    read: ({ shortestMs }) => ({ left: shortestMs === undefined ? undefined : shortestMs / 1000 }),
  },
];
