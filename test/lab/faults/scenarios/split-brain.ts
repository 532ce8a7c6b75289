import { setTimeout as delay } from 'node:timers/promises';
import type { RedisServer } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { type Issuer, TIMEOUT_MS } from '../support/issuer.js';
import { ROOMY } from '../support/issuer-job.js';
import type { Scenario } from '../support/scenario.js';
import { REGISTRY_KEY, type Stage } from '../support/stage.js';
import { assertThat, untilAllFail, untilAllIssue } from '../support/steps.js';
import type { UnreliableNetwork } from '../../../support/proxies/unreliable-network.js';

/** With `minReplicas` a call waits for an acknowledgement, of which there is one a second. */
export const SPLIT_BRAIN_LEASE = {
  ...ROOMY,
  windowMs: 12_000,
  maxSkewMs: 4000,
  callTimeoutMs: 1600,
} as const;
/** How long a failure detector must wait: see docs/explanation/safety-stores.md. */
export const DETECTOR_WAITS_MS = SPLIT_BRAIN_LEASE.maxSkewMs + 1000;

/** What the operator has set up. */
export interface SplitBrainSetting {
  readonly minReplicas: number;
  /** Replicas on the old master's side of the cut. Default 0. The other side has two. */
  readonly oldSideReplicas?: number;
}

/** A master that two replicas follow through one network. */
export interface ReplicatedRedis {
  readonly master: RedisServer;
  readonly network: UnreliableNetwork;
  /** The replica that is to take over. */
  readonly successor: RedisServer;
  /** What the successor has of the registry: empty while it has nothing. */
  registry(): Promise<Readonly<Record<string, string>>>;
  /** Makes the successor a master, and the other replica follow it. */
  promote(): Promise<void>;
}

export async function startReplicated(stage: Stage, oldSideReplicas: number): Promise<ReplicatedRedis> {
  const quickSync = ['--repl-diskless-sync-delay', '0'];
  const master = await stage.redis({ args: quickSync });
  const network = await stage.proxy(master.port);
  const replicaOf = (port: number): Promise<RedisServer> =>
    stage.redis({ args: [...quickSync, '--replicaof', '127.0.0.1', String(port)] });
  const [successor, other] = [await replicaOf(network.port), await replicaOf(network.port)];
  for (let count = 0; count < oldSideReplicas; count++) await replicaOf(master.port);
  const [operator, otherOperator] = [stage.client(successor.url), stage.client(other.url)];
  const masterOperator = stage.client(master.url);
  await waitFor('all replicas to follow', TIMEOUT_MS, async () => {
    const online = (await masterOperator.info('replication')).match(/state=online/g) ?? [];
    return online.length === 2 + oldSideReplicas;
  });
  return {
    master,
    network,
    successor,
    registry: () => operator.hgetall(REGISTRY_KEY),
    async promote() {
      await operator.replicaof('NO', 'ONE');
      await otherOperator.replicaof('127.0.0.1', successor.port);
    },
  };
}

/** Two masters of one namespace, each with processes that reach only that one. */
export interface SplitBrain {
  readonly deposed: RedisServer;
  /** When the replica was made a master, true time. */
  readonly promotedAtMs: number;
  readonly oldSide: readonly Issuer[];
  /** Called on the old master after the cut. */
  readonly latecomer: Issuer;
  readonly newSide: readonly Issuer[];
}

/**
 * The link between a master and its replicas is cut, and one of them is made a master after the time that a failure
 * detector has to wait. The old master is up all the while, and its processes reach it. One of them asks for its lease
 * after the cut. If it gets one, the new master takes that worker ID for a fresh one.
 */
export async function splitBrain(
  stage: Stage,
  { minReplicas, oldSideReplicas = 0 }: SplitBrainSetting,
): Promise<SplitBrain> {
  const redis = await startReplicated(stage, oldSideReplicas);
  const { master, network, successor } = redis;
  stage.set({ store: { url: master.url, minReplicas }, lease: SPLIT_BRAIN_LEASE });
  const holders = await stage.start(2);
  await waitFor('the replica to know both', TIMEOUT_MS, async () => {
    const registry = await redis.registry();
    return holders.every(({ workerId }) => workerId in registry);
  });

  // The gate holds its call back until the cut, so that the call is executed right after it, however long the process takes to start.
  const gate = await stage.proxy(master.port);
  gate.swallow();
  const latecomer = stage.spawn({ store: { url: gate.url } });
  await latecomer.untilLogged('starting');
  const cutAtMs = stage.nowMs();
  network.swallow();
  gate.heal();
  const isFenced = minReplicas > oldSideReplicas;
  await (isFenced ? latecomer.untilEvent('waiting') : latecomer.untilLogged('issuing'));

  const newSide = Array.from({ length: 2 }, () => stage.spawn({ store: { url: successor.url } }));
  await delay(Math.max(0, cutAtMs + DETECTOR_WAITS_MS - stage.nowMs()));
  await redis.promote();
  const promotedAtMs = stage.nowMs();
  const registry = await redis.registry();
  assertThat(!(latecomer.workerId in registry), 'no grant was lost: the replica had them all');
  await Promise.all(newSide.map((issuer) => issuer.untilLogged('issuing')));
  return { deposed: master, promotedAtMs, oldSide: holders, latecomer, newSide };
}

async function failClosed(stage: Stage): Promise<void> {
  const { deposed, promotedAtMs, oldSide, latecomer, newSide } = await splitBrain(stage, { minReplicas: 1 });
  await untilAllFail(oldSide, promotedAtMs);
  const newcomer = stage.spawn({ store: { url: deposed.url } });
  for (const waiting of [latecomer, newcomer]) {
    const { reason } = await waiting.untilEvent('waiting');
    assertThat(reason === 'alone', `a process waits at the deposed master because of ${reason}, not alone`);
    assertThat(waiting.workerId === -1, `the deposed master granted worker ID ${waiting.workerId}`);
  }
  await untilAllIssue(newSide);
  // The last reply from before may have come that late.
  const quietFromMs = promotedAtMs + SPLIT_BRAIN_LEASE.callTimeoutMs;
  for (const issuer of oldSide) {
    const renewals = issuer.events('renewed', quietFromMs).length;
    assertThat(renewals === 0, `the deposed master renewed ${renewals} leases of ${issuer.name}`);
  }
  // They are connected only to the old master, so their operator restarts them with the address of the new one.
  await Promise.all([...oldSide, latecomer, newcomer].map((issuer) => issuer.kill()));
  await stage.startOne({ store: { url: newSide[0]!.job.store.url } });
}

export const splitBrains: readonly Scenario[] = [
  {
    name: 'A split brain: the deposed master serves on, with minReplicas: 1',
    userSees:
      'on processes that still talk to the old master: LeaseExhaustedError, until they are pointed to the new one',
    bounds: { mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 40_000, stampErrorMs: 5000 },
    run: failClosed,
  },
];
