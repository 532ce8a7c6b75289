import { oneInProcess } from '../core/process-memory.js';

/** The measured state of the segments of an app. No name of a tag: clients may choose them. */
export interface SegmentReading {
  /** How many tags have a number at hand. */
  readonly ready: number;
  /** How many tags have none. */
  readonly exhausted: number;
  /** How many tags failed at their last claim. */
  readonly failing: number;
  /** How many numbers were claimed since the start. */
  readonly claimed: number;
  /** How long the numbers of the tag last that runs out first, in milliseconds; absent if no tag issues any. */
  readonly shortestMs: number | undefined;
}

/** Tells the adapters of metrics how the segments of an app are. They don't know the package of the segments. */
@oneInProcess('SegmentMeter')
export class SegmentMeter {
  constructor(readonly read: () => SegmentReading) {}
}
