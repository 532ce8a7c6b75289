import { setTimeout as delay } from 'node:timers/promises';
import type { LeaseReply, LeaseRequest } from 'nestjs-snowflake/store';
import { Client } from 'undici';
import { TOKEN } from '../endpoints.js';
import { acquireRequest, renewalRequest } from '../../support/lease-request.js';
import type { LeaseStage } from '../lease-stage.js';
import type { Settings } from '../settings.js';
import type { Stage } from '../stage.js';
import { closedLoop, openLoop } from './loops.js';

/** What requests at the rate of renewals cost a server. */
export interface PacedCost {
  /** CPU time per request, in microseconds, without the one of Redis. */
  readonly cpuUs: number;
  /** The part of a core that the server took, in percent. */
  readonly corePercent: number;
}

/** What holders that only renew cost the service. */
export interface Holders extends PacedCost {
  readonly holders: number;
  readonly renewEveryMs: number;
  /** Grants of a worker ID that another holder held: 0, or leasing is broken. */
  readonly duplicates: number;
}

const PATH = '/v1/leases/holders';
const HEADERS = {
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/json',
  accept: 'application/json',
  'cache-control': 'no-store',
  'snowflake-timeout-ms': '1900',
};

/** A holder with a connection of its own, which sends what `remoteLeaseStore()` sends. */
class Holder {
  private readonly client: Client;
  private request: LeaseRequest;

  constructor(url: string, workerCount: number, keepAliveMs: number) {
    this.client = new Client(url, { keepAliveTimeout: keepAliveMs });
    this.request = acquireRequest(workerCount);
  }

  async acquire(): Promise<number> {
    const granted = await this.lease();
    if (granted.outcome !== 'new') throw new Error(`A holder was answered with ${granted.outcome}`);
    this.request = renewalRequest(this.request, granted);
    return granted.workerId;
  }

  async renew(): Promise<void> {
    const reply = await this.lease();
    const { claim } = this.request;
    if (reply.outcome !== 'kept' || !claim) throw new Error(`A renewal was answered with ${reply.outcome}`);
    this.request = renewalRequest(this.request, { ...claim, ...reply });
  }

  close(): Promise<void> {
    return this.client.destroy();
  }

  private async lease(): Promise<LeaseReply> {
    const { body } = await this.client.request({
      method: 'POST',
      path: PATH,
      headers: { ...HEADERS, 'snowflake-call': crypto.randomUUID() },
      body: JSON.stringify(this.request),
    });
    return (await body.json()) as LeaseReply;
  }
}

/** Sends requests for an ID to a server of node:http at the same rate: the least that any service would take. */
export function measureFloor(
  stage: Stage,
  { holders: count, renewEveryMs }: Settings,
  step: (note: string) => void,
): Promise<PacedCost> {
  step(`node:http, ${rateOf(count, renewEveryMs)} a second`);
  const take = (): Promise<void> => stage.take('nodeHttp', 1);
  const paced = (): Promise<unknown> => openLoop(count, rateOf(count, renewEveryMs), take, () => delay(1));
  return costOf(count, () => stage.cpuUsOf('nodeHttp', paced));
}

const rateOf = (count: number, everyMs: number): number => (count * 1000) / everyMs;

async function costOf(count: number, cpuUsOf: () => Promise<number>): Promise<PacedCost> {
  const startedMs = performance.now();
  const cpuUs = await cpuUsOf();
  return { cpuUs: cpuUs / count, corePercent: cpuUs / ((performance.now() - startedMs) * 10) };
}

/** Lets each holder renew once, evenly over the interval at which holders renew. */
export async function measureHolders(
  { server }: LeaseStage,
  { holders: count, renewEveryMs, inFlight }: Settings,
  step: (note: string) => void,
): Promise<Holders> {
  const { url } = server.ready;
  const holders = Array.from({ length: count }, () => new Holder(url, count, 6 * renewEveryMs));
  try {
    step(`${count} holders acquire`);
    const workerIds = new Set<number>();
    let next = 0;
    await closedLoop(count, inFlight, async () => {
      const workerId = await holders[next++]?.acquire();
      if (workerId !== undefined) workerIds.add(workerId);
    });
    step(`${count} holders renew, ${renewEveryMs / 1000} s`);
    const renew = async (number: number): Promise<void> => holders[number]?.renew();
    const paced = (): Promise<unknown> => openLoop(count, rateOf(count, renewEveryMs), renew, () => delay(1));
    const cost = await costOf(count, () => server.cpuUsOf(paced));
    return { holders: count, renewEveryMs, ...cost, duplicates: count - workerIds.size };
  } finally {
    await Promise.all(holders.map((holder) => holder.close()));
  }
}
