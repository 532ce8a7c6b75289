import { setTimeout as delay } from 'node:timers/promises';
import type { RedisServer } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { FaultyProxy, type Repeating } from '../../../support/proxies/faulty-proxy.js';
import { type Issuer, TIMEOUT_MS } from '../support/issuer.js';
import { ROOMY, SHORT } from '../support/issuer-job.js';
import type { LeaseService } from '../support/lease-service.js';
import type { Scenario } from '../support/scenario.js';
import type { Setting, Stage } from '../support/stage.js';
import { assertThat, untilAllFail, untilAllIssue } from '../support/steps.js';
import type { UnreliableNetwork } from '../../../support/proxies/unreliable-network.js';
import { DETECTOR_WAITS_MS, SPLIT_BRAIN_LEASE, startReplicated } from './split-brain.js';

/** Long enough to start a service and a process within it, on a busy computer too. */
const LEASE = { ...ROOMY, windowMs: 25_000 } as const;
/** A call through a service needs more than one straight to Redis. */
const SHORT_LEASE = { ...SHORT, windowMs: 3000, callTimeoutMs: 500, maxSkewMs: 1000 } as const;

interface Served {
  readonly redis: RedisServer;
  readonly service: LeaseService;
}

/** A Redis with a service, through which all issuers to come reach it. */
async function startServed(stage: Stage, setting: Setting, persistence?: 'rdb'): Promise<Served> {
  const redis = await stage.redis({ persistence });
  const service = await stage.service({ url: redis.url });
  stage.set({ ...setting, services: [service.url] });
  return { redis, service };
}

async function untilAllRenew(issuers: readonly Issuer[], sinceMs: number): Promise<void> {
  await Promise.all(issuers.map((issuer) => issuer.untilEvent('renewed', sinceMs)));
}

/** @param crashStore what happens while the service is down */
async function killThreeTimes(
  stage: Stage,
  service: LeaseService,
  crashStore: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const issuers = await stage.start(3);
  for (let kill = 0; kill < 3; kill++) {
    const killedAtMs = stage.nowMs();
    await service.kill();
    await crashStore();
    await Promise.all(issuers.map((issuer) => issuer.untilEvent('request-failed', killedAtMs)));
    await service.restart();
    await Promise.all(issuers.map((issuer) => issuer.untilEvent('recovered', killedAtMs)));
  }
}

async function killOnRedis(stage: Stage): Promise<void> {
  const { service } = await startServed(stage, { lease: LEASE });
  await killThreeTimes(stage, service);
}

async function crashWithPostgres(stage: Stage): Promise<void> {
  const database = await stage.postgres();
  const service = await stage.service({ url: database.url });
  stage.set({ lease: LEASE, services: [service.url] });
  await killThreeTimes(stage, service, () => database.restart());
}

/** Calls that nobody waits for any more are executed when it goes on. */
async function pauseBeyondWindow(stage: Stage): Promise<void> {
  const { service } = await startServed(stage, { lease: SHORT_LEASE });
  const issuers = await stage.start(3);
  service.pause();
  await untilAllFail(issuers);
  const newcomer = stage.spawn();
  await newcomer.untilEvent('request-failed');
  service.resume();
  await untilAllIssue([...issuers, newcomer]);
}

/** Two processes lose touch with the service for longer than their windows, while two others do not. */
async function loseTouch(stage: Stage): Promise<void> {
  const { service } = await startServed(stage, { lease: SHORT_LEASE });
  const network = await stage.proxy(service.port);
  const near = await stage.start(2);
  const far = await stage.start(2, { services: [network.httpUrl] });
  network.swallow();
  await untilAllFail(far);
  const successor = await stage.startOne();
  network.heal();
  await untilAllIssue([...near, ...far, successor]);
}

/** One of two services serves all the time. */
async function killInTurn(stage: Stage): Promise<void> {
  const { redis, service: first } = await startServed(stage, { lease: LEASE });
  const second = await stage.service({ url: redis.url });
  stage.set({ services: [first.url, second.url] });
  const issuers = await stage.start(3);
  for (const service of [first, second, first]) {
    await service.kill();
    await untilAllRenew(issuers, stage.nowMs());
    issuers.push(await stage.startOne());
    await service.restart();
  }
}

/** What is left when the store of a service has forgotten a holder that lives. */
interface Loss {
  /** It has its lease, and no network: it issues until its window ends. */
  readonly forgotten: Issuer;
  readonly network: UnreliableNetwork;
}

/** Redis comes back with what it had saved before its last grant, and the service is started anew. */
export async function loseGrant(stage: Stage): Promise<Loss> {
  const { redis, service } = await startServed(stage, { lease: LEASE }, 'rdb');
  const known = await stage.startOne();
  await stage.client(redis.url).save();
  const network = await stage.proxy(service.port);
  const forgotten = await stage.startOne({ services: [network.httpUrl] });
  network.swallow();
  await known.kill();
  await Promise.all([service.kill(), redis.kill()]);
  await redis.restart();
  await service.restart();
  return { forgotten, network };
}

async function waitForForgotten(stage: Stage): Promise<void> {
  const { forgotten, network } = await loseGrant(stage);
  const newcomer = stage.spawn();
  const { reason } = await newcomer.untilEvent('waiting');
  assertThat(reason === 'history', `the newcomer waited because of ${reason}, not of another history`);
  await forgotten.untilLogged('failed');
  network.heal();
  await untilAllIssue([forgotten, newcomer]);
}

/** The operator starts the service with the address of a Redis that has nothing of the namespace. */
async function serveAnotherStore(stage: Stage): Promise<void> {
  const { service } = await startServed(stage, { lease: { ...LEASE, windowMs: 14_000 } });
  const issuers = await stage.start(2);
  const other = await stage.redis();
  await service.kill();
  await service.restart({ url: other.url });
  const newcomer = stage.spawn();
  const { reason } = await newcomer.untilEvent('waiting');
  assertThat(reason === 'empty', `the newcomer waited because of ${reason}, not of an empty store`);
  await untilAllRenew(issuers, stage.nowMs());
  await untilAllIssue([...issuers, newcomer]);
}

/** Between a service and two processes, a load balancer begins to answer with the grant of the first one. */
export async function repeatGrant(
  stage: Stage,
  how: Repeating,
): Promise<{ readonly proxy: FaultyProxy; readonly holder: Issuer; readonly newcomer: Issuer }> {
  const { service } = await startServed(stage, { lease: SHORT_LEASE });
  await stage.startOne();
  const proxy = await FaultyProxy.start(service.url);
  stage.defer(() => proxy.close());
  stage.set({ services: [proxy.url] });
  const holder = await stage.startOne();
  proxy.repeat(how);
  return { proxy, holder, newcomer: stage.spawn() };
}

async function refuseRepeatedGrant(stage: Stage): Promise<void> {
  const { proxy, holder, newcomer } = await repeatGrant(stage, 'as it was');
  await newcomer.untilEvent('request-failed');
  await untilAllFail([holder]);
  assertThat(newcomer.workerId === -1, `the newcomer has taken worker ID ${newcomer.workerId}`);
  proxy.heal();
  await untilAllIssue([holder, newcomer]);
}

/**
 * A failover of Redis, after which the service that clients call first still uses the deposed master. With `minReplicas`,
 * that one grants nothing, and the clients go on to the other service.
 */
async function callOldService(stage: Stage): Promise<void> {
  const redis = await startReplicated(stage, 0);
  const old = await stage.service({ url: redis.master.url, minReplicas: 1 });
  const present = await stage.service({ url: redis.successor.url, minReplicas: 1 });
  stage.set({ services: [old.url, present.url], lease: SPLIT_BRAIN_LEASE });
  const issuers = await stage.start(2);
  await waitFor('the replica to know both', TIMEOUT_MS, async () => {
    const registry = await redis.registry();
    return issuers.every(({ workerId }) => workerId in registry);
  });
  redis.network.swallow();
  await delay(DETECTOR_WAITS_MS);
  await redis.promote();
  const promotedAtMs = stage.nowMs();
  await untilAllRenew(issuers, promotedAtMs + SPLIT_BRAIN_LEASE.callTimeoutMs);
  const newcomer = stage.spawn();
  await newcomer.untilLogged('issuing');
  const waits = newcomer.events('waiting').map(({ reason }) => reason);
  assertThat(waits.includes('alone') || waits.includes('history'), `the newcomer waited for ${waits.join()}`);
  await untilAllIssue(issuers);
}

const EXHAUSTED = {
  mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'],
  errorsEndWithinMs: 60_000,
  stampErrorMs: 5000,
} as const satisfies Scenario['bounds'];
const NOTHING = { stampErrorMs: 3000 } as const satisfies Scenario['bounds'];

export const services: readonly Scenario[] = [
  {
    name: 'A service killed (-9) three times, back within the window each time',
    userSees: 'nothing',
    bounds: NOTHING,
    isQuick: true,
    run: killOnRedis,
  },
  {
    name: 'A service and its PostgreSQL crash three times, back within the window each time',
    userSees: 'nothing',
    bounds: NOTHING,
    isQuick: true,
    run: crashWithPostgres,
  },
  {
    name: 'A service paused (SIGSTOP) for longer than the window',
    userSees: 'timestamps that lag, then LeaseExhaustedError until the service goes on',
    bounds: EXHAUSTED,
    isQuick: true,
    run: pauseBeyondWindow,
  },
  {
    name: 'TCP black hole before a service for longer than the window',
    userSees: 'on the processes concerned: LeaseExhaustedError until the network works again',
    bounds: EXHAUSTED,
    isQuick: true,
    run: loseTouch,
  },
  {
    name: 'Two services on one store, killed (-9) in turn',
    userSees: 'nothing',
    bounds: NOTHING,
    isQuick: true,
    run: killInTurn,
  },
  {
    name: 'A service starts again on an older state of its store, which has forgotten a grant',
    userSees: 'where the process is that nobody remembers: LeaseExhaustedError, until it reaches the service',
    bounds: EXHAUSTED,
    isQuick: true,
    run: waitForForgotten,
  },
  {
    name: 'A service starts again on another, empty store',
    userSees: 'nothing where a process runs; a process that starts waits for a window',
    bounds: NOTHING,
    isQuick: true,
    run: serveAnotherStore,
  },
  {
    name: 'A load balancer before a service answers with an old grant',
    userSees: 'LeaseExhaustedError at the end of the window, until it passes requests on again',
    bounds: EXHAUSTED,
    isQuick: true,
    run: refuseRepeatedGrant,
  },
  {
    name: 'An old service that uses a deposed master, before another one, with minReplicas: 1',
    userSees: 'nothing where a process runs; a process that starts waits for a window',
    bounds: { stampErrorMs: 6000 },
    isQuick: true,
    run: callOldService,
  },
];
