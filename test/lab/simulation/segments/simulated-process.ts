import type { Clock } from '../../../../libs/snowflake/src/core/clock/clock.js';
import type { SegmentStore } from '../../../../libs/snowflake-segments/src/store/segment-store.js';
import { Segments } from '../../../../libs/snowflake-segments/src/segments/segments.js';
import type { Random } from '../random.js';
import type { World } from '../world.js';

/** The tag under traffic. */
export const TAG = 'order';
const CALL_TIMEOUT_MS = 400;

interface ProcessParts {
  readonly store: SegmentStore;
  readonly makeToken: () => string;
  readonly note: (number: number) => void;
  /** When the traffic ends. */
  readonly endMs: number;
}

/** A process under traffic. */
export class SimulatedProcess {
  private readonly segments: Segments;
  private isAlive = true;

  constructor(world: World, random: Random, { store, makeToken, note, endMs }: ProcessParts) {
    const sizing = { minStep: 5, maxStep: 60, maxHeld: 120, outageMinutes: 1 };
    const timing = { callTimeoutMs: CALL_TIMEOUT_MS, readyTimeoutMs: 10_000, stopTimeoutMs: 10_000 };
    this.segments = new Segments(
      { store, tags: [TAG], ...sizing, ...timing },
      { clock: clockOf(world, () => this.isAlive), makeToken },
    );
    const source = this.segments.source(TAG);
    world.every(random.between(20, 80), endMs, random, () => {
      world.touchPromises();
      if (!this.isAlive) return;
      try {
        note(source.next());
      } catch {
        // Nothing is at hand, or the process stops.
      }
    });
  }

  get highest(): number {
    return this.isAlive ? (this.segments.source(TAG).status().highest ?? 0) : 0;
  }

  crash(): void {
    this.isAlive = false;
  }

  stop(): void {
    void this.segments.stop();
  }
}

/** @param isAlive a process that has crashed is called no more */
export function clockOf(world: World, isAlive: () => boolean): Clock {
  return {
    now: () => world.nowMs,
    blockUntil: () => true,
    schedule: (delayMs, task) => {
      const event = world.after(delayMs, () => {
        world.touchPromises();
        if (isAlive()) task();
      });
      return { cancel: () => (event.task = undefined) };
    },
    afterThisTurn: (task) => void Promise.resolve().then(() => isAlive() && task()),
  };
}
