import { setTimeout as delay } from 'node:timers/promises';
import type { LeaseReply, LeaseRequest } from 'nestjs-snowflake/store';
import { Client } from 'undici';
import { median, quantile } from '../../support/quantile.js';
import { TOKEN } from '../endpoints.js';
import { acquireRequest } from '../lease-request.js';
import type { LeaseStage } from '../lease-stage.js';
import type { Settings } from '../settings.js';
import { closedLoop, openLoop } from './loops.js';

/** What holders that only renew cost the service. */
export interface Holders {
  readonly holders: number;
  readonly renewEveryMs: number;
  readonly renewals: number;
  /** CPU time of the service per renewal, in microseconds, without the one of Redis. */
  readonly cpuUs: number;
  /** The part of a core that the service took, in percent. */
  readonly corePercent: number;
  readonly latencyP50Ms: number;
  readonly latencyP99Ms: number;
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
    const { workerId, fencingToken, untilMs } = granted;
    this.request = { ...this.request, claim: { workerId, fencingToken, untilMs } };
    return workerId;
  }

  async renew(): Promise<void> {
    const { outcome } = await this.lease();
    if (outcome !== 'kept') throw new Error(`A renewal was answered with ${outcome}`);
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
    let tookMs: readonly number[] = [];
    const startedMs = performance.now();
    const perSecond = (count * 1000) / renewEveryMs;
    const cpuUs = await server.cpuUsOf(async () => {
      tookMs = await openLoop(
        count,
        perSecond,
        (number) => renew(number),
        () => delay(1),
      );
    });
    const wallMs = performance.now() - startedMs;
    return {
      holders: count,
      renewEveryMs,
      renewals: count,
      cpuUs: cpuUs / count,
      corePercent: cpuUs / (wallMs * 10),
      latencyP50Ms: median(tookMs),
      latencyP99Ms: quantile(tookMs, 0.99),
      duplicates: count - workerIds.size,
    };
  } finally {
    await Promise.all(holders.map((holder) => holder.close()));
  }
}
