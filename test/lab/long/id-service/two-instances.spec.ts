import { setTimeout as delay } from 'node:timers/promises';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { databaseFor } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { RoundRobin } from './round-robin.js';
import {
  ask,
  ServiceFolder,
  ServiceProcess,
  TOKEN,
} from '../../../../apps/id-service/test/support/service-process.js';

const decoder = new IdDecoder(new BitLayout());
const WITHIN_MS = 60_000;
const PAUSE_MS = 5;
const BATCH = 50;

/** Somebody who generates IDs until the test ends, and keeps all of them. */
interface Client {
  readonly ids: string[];
  stop(): Promise<void>;
}

/** Requests IDs. As the guide says, it repeats a request that got no IDs. */
function requester(url: string): Client & { readonly failures: number } {
  const ids: string[] = [];
  let failures = 0;
  const end = new AbortController();
  const work = (async () => {
    while (!end.signal.aborted) {
      try {
        const { status, body } = await ask<{ ids: string[] }>(`${url}/v1/ids?count=${BATCH}`, TOKEN);
        if (status === 200) ids.push(...body.ids);
        else failures += 1;
      } catch {
        failures += 1;
      }
      await delay(PAUSE_MS);
    }
  })();
  return {
    ids,
    get failures() {
      return failures;
    },
    stop: () => {
      end.abort();
      return work;
    },
  };
}

/** Leases a worker ID through the service and generates IDs itself. It renews often, so that the test sees it. */
async function holder(url: string): Promise<Client & { readonly renewals: number }> {
  const store = remoteLeaseStore({ url, token: TOKEN, namespace: 'default' });
  const maker = new SnowflakeIdMaker({ store, lease: { renewEveryMs: 300, possibleLoss: 'ignore' } });
  let renewals = 0;
  maker.subscribe((event) => {
    if (event.type === 'renewed') renewals += 1;
  });
  await maker.start();
  const ids: string[] = [];
  const timer = setInterval(() => ids.push(...maker.nextIds(BATCH)), PAUSE_MS);
  return {
    ids,
    get renewals() {
      return renewals;
    },
    stop: () => {
      clearInterval(timer);
      return maker.stop();
    },
  };
}

const workerIdsOf = (ids: readonly string[]): Set<number> =>
  new Set(ids.map((id) => decoder.decode(id).workerId));

describe('two ID services behind a load balancer [promise: unique]', () => {
  let folder: ServiceFolder;
  let balancer: RoundRobin | undefined;
  const services: ServiceProcess[] = [];
  let clients: Client[] = [];

  beforeEach(() => {
    folder = new ServiceFolder();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.stop()));
    await balancer?.stop();
    await Promise.all(services.splice(0).map((service) => service.stop()));
    folder.remove();
  });

  async function start(env: Record<string, string>): Promise<ServiceProcess> {
    const service = await ServiceProcess.start(folder.env(env));
    services.push(service);
    return service;
  }

  it('two services on PostgreSQL generate no ID twice and keep their clients going, although one is killed and another one starts', async () => {
    const env = { DATABASE_URL: await databaseFor('postgres', 'id-service-two') };
    const [first, second] = await Promise.all([start(env), start(env)]);
    balancer = await RoundRobin.start(first.url, second.url);
    const { url } = balancer;
    const requesters = [requester(url), requester(url), requester(url)];
    const holders = await Promise.all([holder(url), holder(url)]);
    clients = [...requesters, ...holders];
    const requested = (): string[] => requesters.flatMap(({ ids }) => ids);
    const untilWorkersIn = (count: number): Promise<unknown> =>
      waitFor(`IDs of ${count} services`, WITHIN_MS, () => workerIdsOf(requested()).size === count);
    const untilAllGoOn = async (): Promise<void> => {
      const progress = (): number[] => [
        ...requesters.map(({ ids }) => ids.length),
        ...holders.map(({ renewals }) => renewals),
      ];
      const before = progress();
      await waitFor('every client to go on', WITHIN_MS, () =>
        progress().every((now, at) => now > before[at]!),
      );
    };

    await untilWorkersIn(2);
    await untilAllGoOn();

    expect((await first.kill()).signal).toBe('SIGKILL');
    await untilAllGoOn();

    const third = await start(env);
    balancer.to(third.url, second.url);
    await untilWorkersIn(3);
    await untilAllGoOn();

    await Promise.all(clients.map((client) => client.stop()));
    const ids = clients.flatMap((client) => client.ids);
    // The three services, and the two holders.
    expect(workerIdsOf(ids).size).toBe(5);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('two services generate IDs twice if each has a store of its own (control)', async () => {
    const [first, second] = await Promise.all([
      start({ SQLITE_PATH: `${folder.path}/first.sqlite` }),
      start({ SQLITE_PATH: `${folder.path}/second.sqlite` }),
    ]);
    balancer = await RoundRobin.start(first.url, second.url);
    const seen = new Set<string>();
    let repeated = 0;
    await waitFor('an ID that repeats', WITHIN_MS, async () => {
      const both = [1, 2].map(() => ask<{ ids: string[] }>(`${balancer!.url}/v1/ids?count=10000`, TOKEN));
      for (const { body } of await Promise.all(both)) {
        for (const id of body.ids) {
          if (seen.has(id)) repeated += 1;
          seen.add(id);
        }
      }
      return repeated > 0;
    });
    expect(workerIdsOf([...seen]).size).toBe(1);
  });
});
