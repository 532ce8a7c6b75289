import type { Host } from './host.js';
import type { Network } from './network.js';
import type { Random } from './random.js';
import type { Services } from './services.js';
import type { Scene, SceneRequirements } from './scene.js';
import type { StoreCluster } from './store-cluster.js';
import type { Database } from './store-server.js';
import type { World } from './world.js';

/** Everything that a fault can change. */
export interface Stage {
  readonly world: World;
  readonly scene: Scene;
  readonly hosts: readonly Host[];
  /** Hosts without a process, to which the memory of one can be copied. */
  readonly copyHosts: readonly Host[];
  readonly network: Network<Database>;
  readonly cluster: StoreCluster<Database>;
  readonly services: Services;
  readonly random: Random;
  /** When the faults are over, true time. */
  readonly endMs: number;
}

/** A kind of trouble. */
export interface FaultClass {
  readonly name: string;
  readonly requirements?: SceneRequirements;
  /** Within this time after the faults every process generates IDs again, milliseconds. */
  readonly calmWithinMs: number;
  /** Plans what happens. */
  play(stage: Stage): void;
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;

/** Repeats a fault at random moments until the faults are over. */
export function often({ world, endMs, random }: Stage, meanMs: number, fault: () => void): void {
  world.every(meanMs, endMs, random, fault);
}

/** So long, but not longer than the faults last. */
export function during({ world, endMs, random }: Stage, lowMs: number, highMs: number): number {
  return Math.min(random.between(lowMs, highMs), endMs - world.nowMs);
}
