import type { Host } from './host.js';
import { GOOD_CONDITIONS, type Network } from './network.js';
import type { Random } from './random.js';
import type { Scene, SceneWishes } from './scene.js';
import type { StoreCluster } from './store-cluster.js';
import type { Database } from './store-server.js';
import type { World } from './world.js';

/** Everything that a fault can lay hands on. */
export interface Stage {
  readonly world: World;
  readonly scene: Scene;
  readonly hosts: readonly Host[];
  readonly network: Network<Database>;
  readonly cluster: StoreCluster<Database>;
  readonly random: Random;
  /** When the faults are over, true time. */
  readonly endMs: number;
}

/** A kind of trouble. */
export interface FaultClass {
  readonly name: string;
  readonly wishes?: SceneWishes;
  /** Within this time after the faults every process makes IDs again, milliseconds. */
  readonly calmWithinMs: number;
  /** Plans what happens. */
  play(stage: Stage): void;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** The wait for an unknown history, then the wait for a worker ID whose process died, then a start. */
const CALM_MS = 4 * MINUTE;
/** A store whose clock was half an hour ahead gave timestamps away that nobody may use again. */
const CALM_AFTER_CLOCK_MS = 45 * MINUTE;

function often({ world, endMs, random }: Stage, meanMs: number, fault: () => void): void {
  world.every(meanMs, endMs, random, fault);
}

/** So long, but not longer than the faults last. */
function during({ world, endMs, random }: Stage, lowMs: number, highMs: number): number {
  return Math.min(random.between(lowMs, highMs), endMs - world.nowMs);
}

/** Without processes that come and go no worker ID changes hands: some do in every class. */
function restarts(stage: Stage, meanMs = 60 * SECOND): void {
  const { random, hosts } = stage;
  often(stage, meanMs, () => {
    const host = random.pick(hosts);
    if (random.chance(0.5)) host.crash();
    else host.restart();
  });
}

function pauses(stage: Stage, longestMs = 10 * MINUTE): void {
  const { random, hosts } = stage;
  often(stage, 40 * SECOND, () => {
    const ms = random.pick([2 * SECOND, 70 * SECOND, 130 * SECOND, longestMs]);
    random.pick(hosts).pause(during(stage, 0, ms), random.chance(0.5));
  });
}

/**
 * A copy of a claim that was granted long ago gets stuck on the way and arrives when its worker ID has been another
 * holder's meanwhile: two processes, one worker ID. The first one holds it and is paused beyond its window, the second
 * one gets it and gives it back, then the copy arrives, then the first one goes on with a clock that is behind.
 */
function stuckClaims({ world, hosts, network, scene, random, endMs }: Stage): void {
  const { windowMs, maxSkewMs } = scene.agreement.timing;
  const PERIOD_MS = 150 * SECOND;
  const pauseHolder = (): void => {
    const [holder, other] = [...hosts].sort((a, b) => b.lastIssuedMs - a.lastIssuedMs);
    const copy = network.copyOfLastCall(holder!.index);
    const givesBackMs = windowMs + random.between(0, 8 * SECOND);
    const arrivesMs = givesBackMs + random.between(0, 3 * SECOND);
    holder!.pause(arrivesMs + random.between(0, 3 * SECOND), random.chance(0.5));
    holder!.setClockError(-0.98 * maxSkewMs);
    world.after(givesBackMs, () => other!.restart());
    world.after(arrivesMs, copy);
  };
  for (let atMs = 10 * SECOND; world.nowMs + atMs + PERIOD_MS < endMs; atMs += PERIOD_MS) {
    world.after(atMs, () => hosts.forEach((host) => host.crash()));
    world.after(atMs + windowMs + random.between(0, 10 * SECOND), pauseHolder);
  }
}

function partitions(stage: Stage): void {
  const { random, hosts, network } = stage;
  often(stage, 30 * SECOND, () => network.cut(random.pick(hosts).index, during(stage, SECOND, 3 * MINUTE)));
  often(stage, 120 * SECOND, () => {
    const ms = during(stage, SECOND, 2 * MINUTE);
    for (const host of hosts) network.cut(host.index, ms);
  });
}

function slowNetwork(stage: Stage): void {
  const { random, network } = stage;
  network.conditions = {
    ...GOOD_CONDITIONS,
    latencyMs: [1, random.between(2, 200)],
    lost: random.between(0, 0.3),
    slow: random.between(0, 0.3),
    slowMs: random.pick([3 * SECOND, 10 * SECOND, 90 * SECOND]),
  };
}

function stuckCalls(stage: Stage): void {
  stage.network.conditions = { ...stage.network.conditions, stuck: 0.4, stuckMs: 150 * SECOND };
}

function hostClocks(stage: Stage): void {
  const { random, hosts } = stage;
  for (const host of hosts) {
    if (random.chance(0.5)) host.setClockError(random.between(-10 * MINUTE, 10 * MINUTE));
  }
  often(stage, 40 * SECOND, () => {
    const host = random.pick(hosts);
    const stepMs = random.pick([10, 2 * SECOND, 20 * SECOND, 60 * MINUTE]);
    host.setClockError(host.errorMs + random.between(-stepMs, stepMs));
  });
}

function storeClock(stage: Stage): void {
  const { random, cluster } = stage;
  often(stage, 100 * SECOND, () => {
    const mostMs = random.pick([SECOND, 10 * SECOND, 90 * SECOND, 30 * MINUTE]);
    cluster.stepClock(random.between(-mostMs, mostMs));
  });
}

function wipes(stage: Stage): void {
  const { random, cluster, hosts } = stage;
  often(stage, 100 * SECOND, () => {
    cluster.wipe(random.chance(0.5));
    if (random.chance(0.7)) for (const host of hosts) if (random.chance(0.3)) host.crash();
  });
  often(stage, 200 * SECOND, () => cluster.interrupt(during(stage, 100, 90 * SECOND), random.chance(0.5)));
}

/** How a failover goes, once its replica has stopped to follow. */
type FailoverPlan = (random: Random, maxSkewMs: number) => Parameters<StoreCluster<Database>['failOver']>[0];

const crashed: FailoverPlan = (random, maxSkewMs) => ({
  lagMs: random.between(0, 30 * SECOND),
  clockDifferenceMs: random.pick([-maxSkewMs, random.between(-maxSkewMs, maxSkewMs)]),
  outageMs: random.pick([0, 0, random.between(0, 10 * SECOND)]),
  splitMs: 0,
});

/** The old master stops so early that the new one's clock is not too far behind its last grant. */
const fencedInTime: FailoverPlan = (random, maxSkewMs) => {
  const splitMs = random.between(100, maxSkewMs);
  return {
    lagMs: random.between(0, 30 * SECOND),
    clockDifferenceMs: random.between(splitMs - maxSkewMs, maxSkewMs),
    outageMs: 0,
    splitMs,
  };
};

/** A replica takes over when it has missed the master for longer than clocks may be apart, and a second. */
const servesOn: FailoverPlan = (random, maxSkewMs) => ({
  lagMs: random.between(maxSkewMs + SECOND, 30 * SECOND),
  clockDifferenceMs: random.between(-maxSkewMs, maxSkewMs),
  outageMs: 0,
  splitMs: 5 * MINUTE,
});

/**
 * Failovers, and around each of them what makes them dangerous: processes that were paused while their leases ended
 * and their worker IDs were handed on, and that go on just when the store has forgotten it.
 */
function failovers(stage: Stage, plan: FailoverPlan, everyMs = 110 * SECOND): void {
  const { world, scene, cluster, hosts, random, endMs } = stage;
  const AHEAD_MS = 80 * SECOND;
  const { maxSkewMs } = scene.agreement.timing;
  for (let atMs = random.between(0, 40 * SECOND); ; atMs += random.between(0.8, 1.3) * everyMs) {
    const failover = plan(random, maxSkewMs);
    const takeoverMs = atMs + AHEAD_MS + failover.outageMs;
    if (world.nowMs + takeoverMs + failover.splitMs > endMs) return;
    world.after(atMs + AHEAD_MS - failover.lagMs, () => cluster.failOver(failover));
    for (const host of hosts) {
      if (!random.chance(0.4)) continue;
      const pauseAtMs = takeoverMs - random.between(48 * SECOND, random.pick([63 * SECOND, 75 * SECOND]));
      const pauseMs = takeoverMs + random.between(-1 * SECOND, 4 * SECOND) - pauseAtMs;
      world.after(pauseAtMs, () => host.pause(pauseMs, false));
    }
    const newcomer = random.pick(hosts);
    world.after(atMs + AHEAD_MS - random.between(0, failover.lagMs), () => newcomer.crash());
  }
}

const PLAIN: readonly FaultClass[] = [
  { name: 'restarts', calmWithinMs: CALM_MS, play: (stage) => restarts(stage, 8 * SECOND) },
  {
    name: 'pauses',
    calmWithinMs: CALM_MS,
    wishes: { faultsForMs: 15 * MINUTE, spareWorkerIds: [0, 2] },
    play: (stage) => pauses(stage),
  },
  { name: 'partitions', calmWithinMs: CALM_MS, play: partitions },
  { name: 'slow-network', calmWithinMs: CALM_MS, play: slowNetwork },
  {
    name: 'stuck-calls',
    calmWithinMs: CALM_MS,
    wishes: { hosts: [3, 5], spareWorkerIds: [-1, 0] },
    play: (stage) => {
      stuckCalls(stage);
      pauses(stage, 3 * MINUTE);
    },
  },
  {
    name: 'stuck-claims',
    calmWithinMs: CALM_MS,
    wishes: { hosts: [2, 2], spareWorkerIds: [-1, -1], maxSkewMs: 10 * SECOND, faultsForMs: 11 * MINUTE },
    play: stuckClaims,
  },
  { name: 'host-clocks', calmWithinMs: CALM_MS, play: hostClocks },
  { name: 'store-clock', calmWithinMs: CALM_AFTER_CLOCK_MS, play: storeClock },
  { name: 'wipes', calmWithinMs: CALM_MS, play: wipes },
  {
    name: 'failover',
    calmWithinMs: CALM_MS,
    wishes: { spareWorkerIds: [-2, 1] },
    play: (stage) => failovers(stage, crashed),
  },
  {
    name: 'split-fenced',
    calmWithinMs: CALM_MS,
    wishes: { spareWorkerIds: [-1, 1] },
    play: (stage) => failovers(stage, fencedInTime),
  },
  {
    name: 'split-5-min',
    calmWithinMs: CALM_MS,
    wishes: { minReplicas: 1, faultsForMs: 10 * MINUTE },
    play: (stage) => failovers(stage, servesOn, 500 * SECOND),
  },
  {
    name: 'tight-pool',
    calmWithinMs: CALM_MS,
    wishes: { hosts: [20, 20], spareWorkerIds: [12, 12] },
    play: (stage) => {
      restarts(stage, 10 * SECOND);
      pauses(stage, 3 * MINUTE);
    },
  },
];

/** Several kinds of trouble at once. */
const MIXED: FaultClass = {
  name: 'mixed',
  calmWithinMs: CALM_AFTER_CLOCK_MS,
  wishes: { spareWorkerIds: [-1, 3] },
  play: (stage) => {
    const { random } = stage;
    const failover = random.pick([crashed, fencedInTime]);
    const faults = [
      pauses,
      partitions,
      slowNetwork,
      stuckCalls,
      hostClocks,
      storeClock,
      wipes,
      (on: Stage) => failovers(on, failover),
    ];
    for (const fault of faults) if (random.chance(0.5)) fault(stage);
  },
};

/** Every class of faults; {@link restarts} go with all of them. */
export const FAULT_CLASSES: readonly FaultClass[] = [...PLAIN, MIXED].map((fault) => ({
  ...fault,
  play: (stage) => {
    if (fault.name !== 'restarts' && fault.name !== 'stuck-claims') restarts(stage);
    fault.play(stage);
  },
}));

/** @throws Error that names the classes there are */
export function faultClass(name: string): FaultClass {
  const found = FAULT_CLASSES.find((fault) => fault.name === name);
  if (found) return found;
  throw new Error(
    `No fault class "${name}"; there are ${FAULT_CLASSES.map((fault) => fault.name).join(', ')}`,
  );
}
