import { type Endpoint, ENDPOINTS, NAMES } from '../endpoints.js';
import type { Settings } from '../settings.js';
import type { Stage } from '../stage.js';
import { inTurns } from './in-turns.js';
import { closedLoop } from './loops.js';

/** What a request for a single ID costs the server. */
export interface SingleCost {
  readonly endpoint: Endpoint;
  readonly name: string;
  /** CPU time of the server per request, in microseconds: the minimum of the rounds, to which the machine can only add. */
  readonly cpuUs: number;
  /** Requests that one core serves in a second, from `cpuUs`. */
  readonly perSecondPerCore: number;
}

export interface SingleIds {
  readonly costs: readonly SingleCost[];
  /** The service on Fastify to a route of Nest with the same authorization. */
  readonly ratio: number;
}

/** @param step is called once per round */
export async function measureSingleIds(
  stage: Stage,
  settings: Settings,
  step: (note: string) => void,
): Promise<SingleIds> {
  const { requestsPerRound, inFlight } = settings;
  const cpuUs = await inTurns(ENDPOINTS, settings, step, async (endpoint) => {
    const work = (): Promise<void> => closedLoop(requestsPerRound, inFlight, () => stage.take(endpoint, 1));
    return (await stage.cpuUsOf(endpoint, work)) / requestsPerRound;
  });
  const leastUs = (endpoint: Endpoint): number => Math.min(...cpuUs[endpoint]);
  const costs = ENDPOINTS.map((endpoint): SingleCost => ({
    endpoint,
    name: NAMES[endpoint],
    cpuUs: leastUs(endpoint),
    perSecondPerCore: 1e6 / leastUs(endpoint),
  }));
  return { costs, ratio: leastUs('serviceOnFastify') / leastUs('nestGuardedRoute') };
}
