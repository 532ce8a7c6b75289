import { median } from '../../support/quantile.js';
import { type Endpoint, ENDPOINTS, NAMES } from '../endpoints.js';
import type { Settings } from '../settings.js';
import type { Stage } from '../stage.js';
import { inTurns } from './in-turns.js';
import { closedLoop } from './loops.js';

/** What a request for a single ID costs the server. */
export interface SingleCost {
  readonly endpoint: Endpoint;
  readonly name: string;
  readonly requests: number;
  /** CPU time of the server per request, in microseconds: the minimum of the rounds, to which the machine can only add. */
  readonly cpuUs: number;
  readonly cpuMedianUs: number;
  /** Requests that one core serves in a second, from `cpuUs`. */
  readonly perSecondPerCore: number;
}

export interface Ratio {
  readonly ours: Endpoint;
  readonly against: Endpoint;
  /** Of the least CPU times. */
  readonly ratio: number;
  readonly atMost?: number;
}

export interface SingleIds {
  readonly costs: readonly SingleCost[];
  readonly ratios: readonly Ratio[];
}

const COMPARED = [
  { ours: 'serviceOnFastify', against: 'nestGuardedRoute', atMost: 1.3 },
  { ours: 'serviceOnFastify', against: 'nestRoute' },
  { ours: 'serviceOnExpress', against: 'nestGuardedRouteOnExpress' },
  { ours: 'serviceOverGrpc', against: 'grpcJs' },
] as const;

/** @param step is called once per round */
export async function measureSingleIds(
  stage: Stage,
  settings: Settings,
  step: (note: string) => void,
): Promise<SingleIds> {
  const { rounds, requestsPerRound, inFlight } = settings;
  const cpuUs = await inTurns(ENDPOINTS, settings, step, async (endpoint) => {
    const work = (): Promise<void> => closedLoop(requestsPerRound, inFlight, () => stage.take(endpoint, 1));
    return (await stage.cpuUsOf(endpoint, work)) / requestsPerRound;
  });
  const leastUs = (endpoint: Endpoint): number => Math.min(...cpuUs[endpoint]);
  const costs = ENDPOINTS.map((endpoint): SingleCost => ({
    endpoint,
    name: NAMES[endpoint],
    requests: rounds * requestsPerRound,
    cpuUs: leastUs(endpoint),
    cpuMedianUs: median(cpuUs[endpoint]),
    perSecondPerCore: 1e6 / leastUs(endpoint),
  }));
  const ratios = COMPARED.map((compared): Ratio => {
    return { ...compared, ratio: leastUs(compared.ours) / leastUs(compared.against) };
  });
  return { costs, ratios };
}
