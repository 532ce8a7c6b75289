import { BitLayout } from '../../../libs/snowflake/src/core/layout/bit-layout.js';
import { keeperSettings, type LeaseTiming } from '../../../libs/snowflake/src/lease/lease-options.js';
import type { Workload } from './host.js';
import type { Agreement } from './protocol.js';
import type { Random } from './random.js';

/** The world that a class of faults requires. Durations are in milliseconds. */
export interface SceneRequirements {
  /** How many hosts run a process each: least and most. */
  readonly hosts?: readonly [number, number];
  /** How many worker IDs there are more than hosts: least and most; below 0 some processes always wait. */
  readonly spareWorkerIds?: readonly [number, number];
  /** How many replicas must follow a master that grants: least and most. */
  readonly minReplicas?: readonly [number, number];
  readonly maxSkewMs?: number;
  /** Whether IDs come in bursts with few per tick, so that duplicates become likely; random if absent. */
  readonly isDense?: boolean;
  readonly faultsForMs?: number;
  /** To how many more hosts the memory of a process is copied. */
  readonly copies?: number;
}

/** One world as it is at the beginning. */
export interface Scene {
  readonly agreement: Agreement;
  readonly hostCount: number;
  readonly copies: number;
  readonly faultsForMs: number;
  readonly workload: Workload;
}

const WINDOW_MS = 60_000;
const WORKER_BITS = 6;

/** Bursts use sequences up and run ahead of the clock. */
const BURSTS: Workload = { meanGapMs: 1000, largestBatch: 1500 };

/** How IDs are requested: rarely, steadily, or in bursts. */
const WORKLOADS: readonly Workload[] = [
  { meanGapMs: 400, largestBatch: 3 },
  { meanGapMs: 200, largestBatch: 40 },
  BURSTS,
];

export function sceneFor(random: Random, requirements: SceneRequirements): Scene {
  const sequenceBits = random.pick([3, 8, 12]);
  const tickMs = random.pick([1, 1, 10]);
  const layout = new BitLayout({
    workerBits: WORKER_BITS,
    sequenceBits: requirements.isDense ? 3 : sequenceBits,
    tickMs: requirements.isDense ? 10 : tickMs,
  });
  const hostCount = random.whole(...(requirements.hosts ?? [4, 8]));
  const workerCount = hostCount + random.whole(...(requirements.spareWorkerIds ?? [1, 4]));
  const anyWorkload = random.pick(WORKLOADS);
  return {
    agreement: {
      layout,
      timing: timingOf(keeperSettings(layout, { windowMs: WINDOW_MS, maxSkewMs: requirements.maxSkewMs })),
      workerCount,
      minReplicas: random.whole(...(requirements.minReplicas ?? [0, 0])),
    },
    hostCount,
    copies: requirements.copies ?? 0,
    faultsForMs: requirements.faultsForMs ?? 8 * 60_000,
    workload: requirements.isDense ? BURSTS : anyWorkload,
  };
}

function timingOf({
  windowMs,
  renewEveryMs,
  reserveMs,
  maxSkewMs,
  callTimeoutMs,
  acquireTimeoutMs,
}: LeaseTiming): LeaseTiming {
  return { windowMs, renewEveryMs, reserveMs, maxSkewMs, callTimeoutMs, acquireTimeoutMs };
}
