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
  /** From the moment at which a request was due to its response, in milliseconds: of the slice with the least p99. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Half of the rates that the service has to serve per core. @grpc/grpc-js alone shows what no service over it can do. */
const RATES = [
  { endpoint: 'serviceOnFastify', perSecond: 5000 },
  { endpoint: 'grpcJs', perSecond: 4000 },
  { endpoint: 'serviceOverGrpc', perSecond: 4000 },
] as const;

/** @param step is called once per endpoint */
export async function measureLatencies(
  stage: Stage,
  { latencySlices, latencySliceMs }: Settings,
  step: (note: string) => void,
): Promise<readonly Latency[]> {
  const measured: Latency[] = [];
  for (const { endpoint, perSecond } of RATES) {
    step(`${endpoint}, ${perSecond} a second`);
    const requestsPerSlice = (perSecond * latencySliceMs) / 1000;
    const take = (): Promise<void> => stage.take(endpoint, 1);
    const slices: { p50Ms: number; p99Ms: number }[] = [];
    for (let slice = 0; slice < latencySlices; slice += 1) {
      const tookMs = await openLoop(requestsPerSlice, perSecond, take, () => nextTurn());
      slices.push({ p50Ms: median(tookMs), p99Ms: quantile(tookMs, 0.99) });
    }
    const [quietest] = slices.toSorted((one, other) => one.p99Ms - other.p99Ms);
    measured.push({
      endpoint,
      perSecond,
      p50Ms: quietest?.p50Ms ?? Number.NaN,
      p99Ms: quietest?.p99Ms ?? Number.NaN,
    });
  }
  return measured;
}
