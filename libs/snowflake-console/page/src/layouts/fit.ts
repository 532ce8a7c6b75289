import { instantOf } from '../time/instant.js';
import type { LayoutFacts } from './layout-facts.js';

/** What a layout is too small for. */
export type Miss = 'workers' | 'rate' | 'end';

/** What IDs are needed for. */
export interface Needs {
  readonly years: number;
  readonly workers: number;
  readonly idsPerSecondPerWorker: number;
  readonly epoch: string;
}

/** As `suggestLayout()` counts. */
export const YEAR_MS = 31_556_952_000;

/** Returns what a layout is too small for; nothing if it fits. */
export function missesOf(facts: LayoutFacts, needs: Needs): readonly Miss[] {
  const untilMs = (instantOf(needs.epoch) ?? Number.NaN) + needs.years * YEAR_MS;
  return [
    ...(facts.workerIds < needs.workers ? (['workers'] as const) : []),
    ...(facts.idsPerSecondPerWorker < needs.idsPerSecondPerWorker ? (['rate'] as const) : []),
    ...(facts.expiresMs + 1 < untilMs ? (['end'] as const) : []),
  ];
}
