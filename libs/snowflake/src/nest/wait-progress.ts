import type { Clock, ScheduledTask } from '../core/clock/clock.js';
import { asSentence } from '../core/errors/as-sentence.js';
import type { LeaseEvent } from '../lease/lease-events.js';
import type { SnowflakeIdMaker } from '../maker/snowflake-id-maker.js';

const EVERY_MS = 10_000;

/** Reports every ten seconds that an ID maker still waits for its first lease, because a long startup looks like one that hangs. */
export class WaitProgress {
  private next: ScheduledTask | undefined;
  private beganMs = 0;
  /** When the store may grant, Unix time in milliseconds. */
  private expectedMs = 0;

  constructor(
    private readonly maker: Pick<SnowflakeIdMaker, 'status'>,
    private readonly clock: Pick<Clock, 'now' | 'schedule'>,
    private readonly report: (text: string) => void,
  ) {}

  /** Begins when startup waits, and ends with its wait. */
  follow(event: LeaseEvent): void {
    if (event.type === 'waiting') this.expectedMs = this.clock.now() + event.waitMs;
    if (event.type !== 'state') return;
    this.next?.cancel();
    if (event.to !== 'acquiring') return;
    this.beganMs = this.clock.now();
    this.reportLater();
  }

  private reportLater(): void {
    this.next = this.clock.schedule(EVERY_MS, () => {
      this.report(this.text());
      this.reportLater();
    });
  }

  private text(): string {
    const { store, lastError } = this.maker.status();
    const nowMs = this.clock.now();
    const leftMs = this.expectedMs - nowMs;
    const outlook = leftMs > 0 ? ` Up to ${Math.ceil(leftMs / 1000)} s are left.` : '';
    const reason = lastError ? ` ${asSentence(lastError.message)}` : outlook;
    return `Still waiting for a worker ID of ${store}, for ${Math.round((nowMs - this.beganMs) / 1000)} s.${reason}`;
  }
}
