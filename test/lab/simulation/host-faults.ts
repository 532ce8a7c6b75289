import { during, MINUTE, often, SECOND, type Stage } from './fault-class.js';
import { GOOD_CONDITIONS } from './network.js';

/** Processes that end and come again. */
export function restarts(stage: Stage, meanMs = 60 * SECOND): void {
  const { random, hosts } = stage;
  often(stage, meanMs, () => {
    const host = random.pick(hosts);
    if (random.chance(0.5)) host.crash();
    else host.restart();
  });
}

export function pauses(stage: Stage, longestMs = 10 * MINUTE): void {
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
export function stuckClaims({ world, hosts, network, scene, random, endMs }: Stage): void {
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

/** For how many times `callTimeoutMs` both copies can have a call on its way, and repeat it, that gets one grant for both. */
const IN_FLIGHT_CALLS = 3;

/**
 * The memory of a process is copied, as by a snapshot of a virtual machine that is resumed twice: at any moment, while a call
 * is on its way, or in an outage that outlasts the window, after which both request another worker ID. Both copies can end, be paused and be cut off afterwards.
 */
export function copies(stage: Stage): void {
  const { world, hosts, copyHosts, network, scene, random, endMs } = stage;
  const { windowMs, maxSkewMs, callTimeoutMs } = scene.agreement.timing;
  const boundMs = windowMs + maxSkewMs + IN_FLIGHT_CALLS * callTimeoutMs;
  for (const copyHost of copyHosts) {
    const copy = (): void => {
      const isDone = random.pick(hosts).copyTo(copyHost, boundMs);
      if (!isDone && !copyHost.hasRun) world.after(SECOND, copy);
    };
    const copyInFlight = (): void => {
      const host = random.pick(hosts);
      host.onNextCall = () =>
        world.after(random.between(0, 5), () => {
          if (!host.copyTo(copyHost, boundMs) && !copyHost.hasRun) copy();
        });
    };
    const copyInOutage = (): void => {
      const host = random.pick(hosts);
      const outageMs = during(stage, windowMs, 3 * windowMs);
      for (const { index } of [host, copyHost]) network.cut(index, outageMs);
      world.after(random.between(SECOND, outageMs / 2), () => {
        if (!host.copyTo(copyHost, boundMs) && !copyHost.hasRun) copy();
      });
    };
    world.after(random.between(MINUTE, endMs - world.nowMs - 3 * MINUTE), () =>
      random.pick([copy, copyInFlight, copyInOutage])(),
    );
    often(stage, 2 * MINUTE, () => (random.chance(0.5) ? copyHost.crash() : copyHost.restart()));
  }
}

export function partitions(stage: Stage): void {
  const { random, hosts, network } = stage;
  often(stage, 30 * SECOND, () => network.cut(random.pick(hosts).index, during(stage, SECOND, 3 * MINUTE)));
  often(stage, 120 * SECOND, () => {
    const ms = during(stage, SECOND, 2 * MINUTE);
    for (const host of hosts) network.cut(host.index, ms);
  });
}

export function slowNetwork(stage: Stage): void {
  const { random, network } = stage;
  network.conditions = {
    ...GOOD_CONDITIONS,
    latencyMs: [1, random.between(2, 200)],
    lost: random.between(0, 0.3),
    slow: random.between(0, 0.3),
    slowMs: random.pick([3 * SECOND, 10 * SECOND, 90 * SECOND]),
  };
}

export function stuckCalls(stage: Stage): void {
  stage.network.conditions = { ...stage.network.conditions, stuck: 0.4, stuckMs: 150 * SECOND };
}

export function hostClocks(stage: Stage): void {
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
