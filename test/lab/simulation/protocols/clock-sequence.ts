import type { BitLayout } from '../../../../libs/snowflake/src/core/layout/bit-layout.js';
import type { Clock } from '../../../../libs/snowflake/src/core/clock/clock.js';

/** The local clock shows a time before that of the last ID. */
export class ClockWentBack extends Error {
  override readonly name = 'ClockWentBack';
}

/** The generator that every Snowflake text prints: the local clock and a sequence, nothing else. */
export class ClockSequence {
  private lastTick = -1;
  private sequence = 0;
  private base = 0n;
  private baseWorkerId = -1;

  constructor(
    private readonly layout: BitLayout,
    private readonly clock: Clock,
  ) {}

  /** Forgets the last tick. */
  reset(): void {
    this.lastTick = -1;
  }

  /** @throws ClockWentBack */
  issue(workerId: number, count: number): BigUint64Array {
    const ids = new BigUint64Array(count);
    for (let made = 0; made < count; made++) ids[made] = this.next(workerId);
    return ids;
  }

  private next(workerId: number): bigint {
    const { layout, clock } = this;
    let tick = layout.tickAt(clock.now());
    if (tick < this.lastTick) throw new ClockWentBack('the clock went back');
    if (tick === this.lastTick && this.sequence > layout.maxSequence) {
      clock.blockUntil(layout.startOfTick(tick + 1), layout.tickMs);
      tick++;
    }
    if (tick !== this.lastTick || workerId !== this.baseWorkerId) {
      if (tick !== this.lastTick) this.sequence = 0;
      this.lastTick = tick;
      this.baseWorkerId = workerId;
      this.base = layout.compose({ tick, workerId: Math.min(workerId, layout.maxWorkerId), sequence: 0 });
    }
    return this.base + BigInt(this.sequence++);
  }
}
