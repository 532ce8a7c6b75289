import type { Clock, ScheduledTask } from '../../../libs/snowflake/src/core/clock/clock.js';
import type { World } from './world.js';

/** The time that a process reads: true time plus the error of its host's clock. */
export interface WallTime {
  /** Milliseconds by which the clock is wrong. */
  errorMs: number;
}

/**
 * The event loop of one simulated process, and the clock that the process sees. It can be paused at any moment: what
 * falls due meanwhile, timers and replies alike, waits until it goes on.
 */
export class EventLoop {
  readonly clock: Clock;
  isAlive = true;

  private pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** Time that the process was suspended with its host, which its timers don't count. */
  private suspendedMs = 0;
  private suspendedUntilMs = Number.NEGATIVE_INFINITY;
  /** How far the running synchronous code is ahead of the world, because it blocked. */
  private blockedMs = 0;
  private waiting: (() => void)[] = [];
  private turnEnds: (() => void)[] = [];

  constructor(
    private readonly world: World,
    private readonly wall: WallTime,
  ) {
    this.clock = {
      now: () => Math.floor(this.trueMs + this.wall.errorMs),
      blockUntil: (targetMs, maxBlockMs) => this.block(targetMs, maxBlockMs),
      schedule: (delayMs, task) => this.schedule(delayMs, task),
      afterThisTurn: (task) => void this.turnEnds.push(task),
    };
  }

  /** True time as the running code would find it. */
  get trueMs(): number {
    return this.world.nowMs + this.blockedMs;
  }

  get isPaused(): boolean {
    return this.world.nowMs < this.pausedUntilMs;
  }

  /** Runs `task` now, or as soon as the loop goes on. A dead process runs nothing. */
  deliver(task: () => void): void {
    if (!this.isAlive) return;
    if (this.isPaused) this.waiting.push(task);
    else this.turn(task);
  }

  /** Runs `task` at once, with what belongs to the end of a turn. */
  turn(task: () => void, settlesPromises = true): void {
    task();
    for (const end of this.turnEnds.splice(0)) end();
    if (settlesPromises) this.world.touchPromises();
    if (this.blockedMs > 0) this.pause(this.blockedMs);
  }

  /** Stops the loop for `ms`; then `beforeOthers` runs, and only then what has waited. */
  pause(ms: number, beforeOthers?: () => void): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, this.world.nowMs + ms);
    this.world.after(ms, () => {
      if (this.isPaused || !this.isAlive) return;
      this.blockedMs = 0;
      beforeOthers?.();
      for (const task of this.waiting.splice(0)) this.world.after(0, () => this.deliver(task));
    });
  }

  /** As {@link pause}, with the whole host asleep: timers do not go on either. A host that sleeps already sleeps on. */
  suspend(ms: number, beforeOthers?: () => void): void {
    const { nowMs } = this.world;
    const sleepsUntilMs = Math.max(this.suspendedUntilMs, nowMs);
    this.suspendedUntilMs = Math.max(sleepsUntilMs, nowMs + ms);
    this.suspendedMs += this.suspendedUntilMs - sleepsUntilMs;
    this.pause(ms, beforeOthers);
  }

  /** What a clock shows that nobody can step: elapsed time without that of suspends. */
  get elapsedMs(): number {
    return this.trueMs - this.suspendedMs;
  }

  private block(targetMs: number, maxBlockMs: number): boolean {
    const ms = Math.min(targetMs - this.clock.now(), maxBlockMs);
    if (ms > 0) this.blockedMs += ms;
    return this.clock.now() >= targetMs;
  }

  private schedule(delayMs: number, task: () => void): ScheduledTask {
    const dueMs = this.elapsedMs + delayMs;
    let isCanceled = false;
    const arm = (): void => {
      this.world.after(dueMs - this.elapsedMs, () => {
        if (isCanceled || !this.isAlive) return;
        // The sum of fractions may fall short of the moment by less than any clock shows.
        if (this.elapsedMs < dueMs - 0.001) arm();
        else this.deliver(() => isCanceled || task());
      });
    };
    arm();
    return { cancel: () => void (isCanceled = true) };
  }
}
