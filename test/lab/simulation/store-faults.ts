import { during, MINUTE, often, SECOND, type Stage } from './fault-class.js';
import type { Random } from './random.js';
import type { Failover } from './store-cluster.js';

export function storeClock(stage: Stage): void {
  const { random, cluster } = stage;
  often(stage, 100 * SECOND, () => {
    const mostMs = random.pick([SECOND, 10 * SECOND, 90 * SECOND, 30 * MINUTE]);
    cluster.stepClock(random.between(-mostMs, mostMs));
  });
}

export function wipes(stage: Stage): void {
  const { random, cluster, hosts } = stage;
  often(stage, 100 * SECOND, () => {
    cluster.wipe(random.chance(0.5));
    if (random.chance(0.7)) for (const host of hosts) if (random.chance(0.3)) host.crash();
  });
  often(stage, 200 * SECOND, () => cluster.interrupt(during(stage, 100, 90 * SECOND), random.chance(0.5)));
}

/** How a failover goes, once its replica has stopped to follow. */
type FailoverPlan = (random: Random, maxSkewMs: number) => Failover;

export const crashed: FailoverPlan = (random, maxSkewMs) => ({
  lagMs: random.between(0, 30 * SECOND),
  clockDifferenceMs: random.pick([-maxSkewMs, random.between(-maxSkewMs, maxSkewMs)]),
  outageMs: random.pick([0, 0, random.between(0, 10 * SECOND)]),
  splitMs: 0,
});

/** The old master stops so early that the new one's clock is not too far behind its last grant. */
export const fencedInTime: FailoverPlan = (random, maxSkewMs) => {
  const splitMs = random.between(100, maxSkewMs);
  return {
    lagMs: random.between(0, 30 * SECOND),
    clockDifferenceMs: random.between(splitMs - maxSkewMs, maxSkewMs),
    outageMs: 0,
    splitMs,
  };
};

/** A replica takes over when it has missed the master for longer than clocks may be apart, and a second. */
export const servesOn: FailoverPlan = (random, maxSkewMs) => ({
  lagMs: random.between(maxSkewMs + SECOND, 30 * SECOND),
  clockDifferenceMs: random.between(-maxSkewMs, maxSkewMs),
  outageMs: 0,
  splitMs: 5 * MINUTE,
});

/**
 * Failovers, and around each of them what makes them dangerous: processes that were paused while their leases ended
 * and their worker IDs were granted to others, and that continue just when the store has lost those grants.
 */
export function failovers(stage: Stage, plan: FailoverPlan, everyMs = 110 * SECOND): void {
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

/** Replaces a master that lives, at once, and with a clock that is behind. */
export const replacedAtOnce: FailoverPlan = (random, maxSkewMs) => ({
  lagMs: random.between(0, SECOND),
  clockDifferenceMs: random.between(-maxSkewMs, -maxSkewMs / 2),
  outageMs: 0,
  splitMs: 3 * MINUTE,
});

/** The old master stops within a window, but not as early as clocks may be apart. */
export const fencedInWindow: FailoverPlan = (random, maxSkewMs) => ({
  lagMs: random.between(0, 30 * SECOND),
  clockDifferenceMs: random.between(-maxSkewMs, maxSkewMs),
  outageMs: 0,
  splitMs: random.between(maxSkewMs, 60 * SECOND),
});
