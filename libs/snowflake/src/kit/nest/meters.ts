import type { ModulesContainer } from '@nestjs/core';
import { providersIn } from './providers.js';
import { CallMeter } from '../call-meter.js';
import { SegmentMeter } from '../segment-meter.js';

/** Returns the meters of the ID services and of the series of an app. */
export function callMetersIn(modules: ModulesContainer): CallMeter[] {
  return [...providersIn(modules)].filter((provider) => provider instanceof CallMeter);
}

/** Returns the meters of the segments of an app. */
export function segmentMetersIn(modules: ModulesContainer): SegmentMeter[] {
  return [...providersIn(modules)].filter((provider) => provider instanceof SegmentMeter);
}
