import { setTimeout as delay } from 'node:timers/promises';
import { openSource, slowStore } from '../sources.js';
import type { Settings } from '../settings.js';

/** Even traffic on a database that answers late. */
export interface TrafficResult {
  readonly latencyMs: number;
  readonly numbers: number;
  /** Segments that were begun. */
  readonly segments: number;
  /** Turns of the event loop in which a call found no number. */
  readonly starved: number;
}

const LATENCIES_MS = [0, 5, 50, 1000];
const PER_SECOND = 100_000;
/** As many as 2.5 s need, so that many segments end. */
const STEP = 250_000;

/** Issues 100,000 numbers a second for each latency. A call that is due while the process was disturbed is made later. */
export async function measureTraffic({ trafficSeconds }: Settings): Promise<TrafficResult[]> {
  const results: TrafficResult[] = [];
  for (const latencyMs of LATENCIES_MS) results.push(await trafficOn(latencyMs, trafficSeconds));
  return results;
}

async function trafficOn(latencyMs: number, seconds: number): Promise<TrafficResult> {
  const store = slowStore(latencyMs);
  const { source, stop } = await openSource(store, { step: STEP });
  const firsts = new Set<number>();
  const fromMs = performance.now();
  const tally = { numbers: 0, starved: 0 };
  for (let elapsedMs = 0; elapsedMs < 1000 * seconds; elapsedMs = performance.now() - fromMs) {
    const due = Math.floor((elapsedMs * PER_SECOND) / 1000);
    while (tally.numbers < due) {
      try {
        firsts.add(Math.floor((source.next() - 1) / STEP));
        tally.numbers += 1;
      } catch {
        tally.starved += 1;
        break;
      }
    }
    await delay(1);
  }
  await stop();
  return { latencyMs, ...tally, segments: firsts.size };
}
