import type { BitLayout } from '../layout/bit-layout.js';
import type { Clock } from '../clock/clock.js';
import type { GeneratorSettings } from './generator-options.js';
import type { TimestampWindow } from './issuing-right.js';
import { LogicalClock } from './logical-clock.js';
import { TickMemory } from './tick-memory.js';

/**
 * The logical clock of the clock rollback policy `reuse`, as in ICH.Snowflake: it follows the clock back to used ticks, and
 * issues the sequence numbers that they have left. Every other policy uses a clock that never goes back.
 */
export class ReusingClock extends LogicalClock {
  /** Free sequence numbers of used ticks. */
  private readonly memory = new TickMemory();
  /** Whether the clock repeats used ticks. */
  private reusing = false;

  override get lastUsed(): number {
    return Math.max(this.memory.highest, this.last);
  }

  override enter(window: TimestampWindow): void {
    super.enter(window);
    this.reusing = false;
    this.memory.beginAfter(this.last);
  }

  override move(tick: number, firstFree: number): number {
    this.memory.note(this.last, firstFree);
    super.move(tick, firstFree);
    return this.memory.firstFree(tick);
  }

  /** Returns the earliest tick with free sequence numbers, from the clock's tick on, while the clock repeats ticks. */
  protected override usedTick(clockTick: number, nowTick: number, firstFree: number): number | undefined {
    if (!this.reusing) return undefined;
    if (clockTick > this.lastUsed) {
      this.reusing = false;
      return clockTick;
    }
    this.memory.note(this.last, firstFree);
    return this.memory.earliestFree(clockTick, this.idsPerTick) ?? this.after(this.lastUsed, nowTick);
  }

  protected override noteRollback(): void {
    this.reusing = true;
  }
}

/** Returns the logical clock of the clock rollback policy. */
export function logicalClockOf(layout: BitLayout, clock: Clock, settings: GeneratorSettings): LogicalClock {
  const ClockOfPolicy = settings.onClockRollback === 'reuse' ? ReusingClock : LogicalClock;
  return new ClockOfPolicy(layout, clock, settings);
}
