import type { Endpoint } from '../endpoints.js';
import type { Settings } from '../settings.js';
import type { Stage } from '../stage.js';
import { inTurns } from './in-turns.js';
import { closedLoop } from './loops.js';

export const WAYS = ['http', 'grpc', 'grpcStream'] as const;
export type Way = (typeof WAYS)[number];

const SERVERS: Readonly<Record<Way, Endpoint>> = {
  http: 'serviceOnFastify',
  grpc: 'serviceOverGrpc',
  grpcStream: 'serviceOverGrpc',
};

/** What a batch of IDs costs the server. */
export interface BatchCost {
  readonly way: Way;
  readonly idsPerBatch: number;
  /** CPU time of the server per batch, in microseconds: the minimum of the rounds. */
  readonly cpuUs: number;
  /** IDs that one core serves in a second, from `cpuUs`. */
  readonly idsPerSecondPerCore: number;
}

/** Batches in flight. More would only wait: they keep a core busy. */
const IN_FLIGHT = 4;

/** @param step is called once per round */
export async function measureBatches(
  stage: Stage,
  settings: Settings,
  step: (note: string) => void,
): Promise<readonly BatchCost[]> {
  const { batchesPerRound, idsPerBatch } = settings;
  const one = (endpoint: Endpoint) => () =>
    closedLoop(batchesPerRound, IN_FLIGHT, () => stage.take(endpoint, idsPerBatch));
  const take: Record<Way, () => Promise<void>> = {
    http: one('serviceOnFastify'),
    grpc: one('serviceOverGrpc'),
    grpcStream: () => takeStreams(stage, batchesPerRound, idsPerBatch),
  };
  const cpuUs = await inTurns(WAYS, settings, step, async (way) => {
    return (await stage.cpuUsOf(SERVERS[way], take[way])) / batchesPerRound;
  });
  return WAYS.map((way) => {
    const leastUs = Math.min(...cpuUs[way]);
    return {
      way,
      idsPerBatch,
      cpuUs: leastUs,
      idsPerSecondPerCore: (idsPerBatch * 1e6) / leastUs,
    };
  });
}

/** Reads some streams at once, which have `batches` together. */
async function takeStreams(stage: Stage, batches: number, idsPerBatch: number): Promise<void> {
  const shares = Array.from({ length: IN_FLIGHT }, (_, stream) => Math.floor((batches + stream) / IN_FLIGHT));
  const taken = await Promise.all(
    shares.filter(Boolean).map((share) => stage.takeStream(idsPerBatch, share)),
  );
  const total = taken.reduce((sum, count) => sum + count, 0);
  if (total !== batches * idsPerBatch) throw new Error(`${total} IDs instead of ${batches * idsPerBatch}`);
}
