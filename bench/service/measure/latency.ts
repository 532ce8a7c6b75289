import { loadavg } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { median, quantile } from '../../support/quantile.js';
import type { Endpoint } from '../endpoints.js';
import type { Settings } from '../settings.js';
import type { Stage } from '../stage.js';
import { openLoop } from './loops.js';

/** How long requests for a single ID take at a fixed rate. */
export interface Latency {
  readonly endpoint: Endpoint;
  readonly perSecond: number;
  readonly requests: number;
  /** From the moment at which a request was due to its response, in milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The load of the machine: with more than one process per core, requests wait for a core. */
  readonly load: number;
}

/** Half of the rates that the service has to serve per core. */
const RATES = [
  { endpoint: 'serviceOnFastify', perSecond: 5000 },
  { endpoint: 'serviceOverGrpc', perSecond: 4000 },
] as const;

/** @param step is called once per endpoint */
export async function measureLatencies(
  stage: Stage,
  { latencyForMs }: Settings,
  step: (note: string) => void,
): Promise<readonly Latency[]> {
  const measured: Latency[] = [];
  for (const { endpoint, perSecond } of RATES) {
    step(`${endpoint}, ${perSecond} a second`);
    const requests = (perSecond * latencyForMs) / 1000;
    const tookMs = await openLoop(
      requests,
      perSecond,
      () => stage.take(endpoint, 1),
      () => nextTurn(),
    );
    const [p50Ms, p99Ms] = [median(tookMs), quantile(tookMs, 0.99)];
    measured.push({ endpoint, perSecond, requests, p50Ms, p99Ms, load: loadavg()[0] ?? Number.NaN });
  }
  return measured;
}
