import { CopiedMemory, type Twin } from './copied-memory.js';
import { EventLoop } from './event-loop.js';
import { type FaultClass, type Stage } from './fault-class.js';
import type { Histogram } from './histogram.js';
import { Host, type Started } from './host.js';
import { Checker, type Verdict } from './checker.js';
import { Network } from './network.js';
import type { Protocol, SimulatedEnvironment } from './protocol.js';
import type { Random } from './random.js';
import { sceneFor } from './scene.js';
import { Services } from './services.js';
import { StoreCluster } from './store-cluster.js';
import type { Database } from './store-server.js';
import { START_MS, World } from './world.js';

/** What to simulate. */
export interface Setup<Content extends Database> {
  readonly seed: number;
  readonly fault: FaultClass;
  readonly protocol: Protocol<Content>;
  /** Takes the lines of the trace. */
  readonly trace?: (line: string) => void;
}

/** What one run came to. */
export interface Outcome {
  readonly seed: number;
  readonly verdict: Verdict;
  readonly stampErrors: Histogram;
}

/** How often it is looked whether all is calm again. */
const LOOK_EVERY_MS = 5000;

/** Runs one seed of one class of faults to the end. The same setup has the same outcome and the same trace. */
export async function simulate<Content extends Database>(setup: Setup<Content>): Promise<Outcome> {
  const { seed, fault, protocol } = setup;
  const world = new World(seed, setup.trace);
  const random = world.random;
  const scene = sceneFor(random.fork('scene'), fault.requirements ?? {});
  const { agreement, hostCount } = scene;
  const content = protocol.content(agreement);
  const { maxSkewMs } = agreement.timing;
  const cluster = new StoreCluster(world, content, random.fork('cluster'), maxSkewMs, hostCount);
  const network = new Network(world, cluster, random.fork('network'));
  const checker = new Checker(agreement.layout);
  const environmentOf = (
    place: { host: number },
    own: Random,
    loop: EventLoop,
    name: string,
  ): SimulatedEnvironment<Content> => {
    const stream = own.fork(name);
    return {
      ...agreement,
      name,
      loop,
      random: stream,
      nonce: () => stream.hex(),
      call: (command) => network.call({ host: place.host, loop }, command),
      request: (service, serve) => services.request({ host: place.host, loop }, service, serve),
      callFrom: (caller, command) => network.call(caller, command),
      touchPromises: () => world.touchPromises(),
      trace: (line) => world.trace(`host ${place.host}`, line),
    };
  };
  const twinOf = (memory: CopiedMemory<Content>, host: Host, own: Random, name: string): Twin => {
    const place = { host: host.index };
    const loop = new EventLoop(world, host);
    const maker = protocol.maker(memory.copy(environmentOf(place, own, loop, name)));
    const split = (other: number): void => {
      place.host = other;
      memory.split();
    };
    return { loop, maker, split };
  };
  const hostAt = (index: number, own: Random): Host =>
    new Host(world, index, own, checker, scene.workload, (host, loop, name): Started => {
      const environment = environmentOf({ host: index }, own, loop, name);
      if (scene.copies === 0) return { maker: protocol.maker(environment) };
      const memory = new CopiedMemory<Content>(own.fork(`memory of ${name}`));
      const original = memory.original({
        ...environment,
        call: (command) => {
          const { onNextCall } = host;
          host.onNextCall = undefined;
          onNextCall?.();
          return environment.call(command);
        },
      });
      return { maker: protocol.maker(original), twin: twinOf(memory, host, own, name) };
    });
  const hosts: readonly Host[] = Array.from({ length: hostCount }, (_, index) => {
    const own = random.fork(`host ${index}`);
    const host = hostAt(index, own);
    // As wrong as a clock can be without being corrected: half of them by nearly all of that.
    host.errorMs = own.chance(0.5) ? own.between(-maxSkewMs, maxSkewMs) : own.pick([-0.98, 0.98]) * maxSkewMs;
    host.begin(own.between(0, 3000));
    return host;
  });
  const copyHosts = Array.from({ length: scene.copies }, (_, index) =>
    hostAt(hostCount + index, random.fork(`host ${hostCount + index}`)),
  );
  const services = new Services(world, network, hosts, random.fork('services'));
  const endMs = START_MS + scene.faultsForMs;
  const stage: Stage = {
    world,
    scene,
    hosts,
    copyHosts,
    network: network as unknown as Stage['network'],
    cluster: cluster as unknown as Stage['cluster'],
    services: services as unknown as Stage['services'],
    random: random.fork('faults'),
    endMs,
  };
  fault.play(stage);
  await world.runUntil(endMs);
  network.healAll();
  services.stale = 0;
  world.trace('faults', () => 'are over');
  const used = [...hosts, ...copyHosts].filter(({ hasRun }) => hasRun);
  const silent = await untilCalm(world, used, agreement.workerCount, endMs + fault.calmWithinMs);
  return { seed, verdict: checker.conclude(silent), stampErrors: checker.stampErrors };
}

/** @returns how many hosts that could have a worker ID generate no ID */
async function untilCalm(
  world: World,
  hosts: readonly Host[],
  workerCount: number,
  boundMs: number,
): Promise<number> {
  const calmSinceMs = world.nowMs;
  for (;;) {
    await world.runUntil(Math.min(world.nowMs + LOOK_EVERY_MS, boundMs));
    const issuing = hosts.filter((host) => host.lastIssuedMs > calmSinceMs).length;
    const silent = Math.min(hosts.length, workerCount) - issuing;
    if (silent <= 0 || world.nowMs >= boundMs) return Math.max(0, silent);
  }
}
