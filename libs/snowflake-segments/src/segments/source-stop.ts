import type { Rest, Segment } from '../core/segment-chain.js';
import type { SnowflakeError } from 'nestjs-snowflake/core';
import { settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import type { RestReturner } from './rest-returner.js';
import type { SegmentClaimer } from './segment-claimer.js';
import type { SegmentListener } from './segment-events.js';
import type { CallSettings } from '../store/store-calls.js';

/** What a {@link SourceStop} needs. */
export interface StopSettings extends CallSettings {
  readonly stopTimeoutMs: number;
  readonly returner: RestReturner;
  readonly emit: SegmentListener;
}

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 200;

/** Returns what a source has left when it stops, within `stopTimeoutMs`. */
export class SourceStop {
  private readonly endMs: number;
  private readonly lateEndMs: number;

  /** @param lateMs how long it waits for what claims without a reply may have been granted */
  constructor(
    private readonly tag: string,
    private readonly claimer: SegmentClaimer,
    private readonly settings: StopSettings,
    private readonly lateMs: number,
  ) {
    const nowMs = settings.clock.now();
    this.endMs = nowMs + settings.stopTimeoutMs;
    this.lateEndMs = nowMs + lateMs;
  }

  /**
   * Never rejects. What is at hand doesn't wait for a claim that hangs.
   *
   * @param claiming the claim that is under way, which resolves to the segment that it is granted
   */
  async run(rests: readonly Rest[], claiming: Promise<Segment | undefined> | undefined): Promise<void> {
    await Promise.all([this.returnAll(rests), this.returnLate(claiming)]);
  }

  /** Returns what claims grant after the stop, and what they were granted in replies that got lost. */
  private async returnLate(claiming: Promise<Segment | undefined> | undefined): Promise<void> {
    const granted = claiming && (await this.grantedInTime(claiming));
    const unanswered = await this.retried((leftMs) => this.claimer.claimUnanswered(leftMs), this.lateEndMs);
    await this.returnAll([granted, unanswered?.segment].filter((segment) => segment !== undefined));
    await this.retried((leftMs) => this.claimer.returnLost(leftMs), this.lateEndMs);
  }

  /** If the claim takes longer, its segment is returned when it is granted, but the stop doesn't wait for that. */
  private grantedInTime(claiming: Promise<Segment | undefined>): Promise<Segment | undefined> {
    const { clock, returner, callTimeoutMs } = this.settings;
    return settledWithin(clock, this.lateMs, claiming, () => undefined).catch(() => {
      void claiming
        .then((late) => late && returner.returnRest(this.tag, late, clock.now() + callTimeoutMs))
        // The store then keeps it as the segment of a process that has crashed.
        .catch(() => undefined);
      return undefined;
    });
  }

  private async returnAll(rests: readonly Rest[]): Promise<void> {
    const { returner, emit } = this.settings;
    const { tag } = this;
    await Promise.all(
      rests.map(async (rest) => {
        const isBack = await this.retried(() => returner.returnRest(tag, rest, this.endMs), this.endMs);
        if (rest.count > 0) emit({ type: isBack ? 'returned' : 'return-failed', tag, count: rest.count });
      }),
    );
  }

  /** Tries until it succeeds or the time is over; then returns `undefined`. */
  private async retried<Reply>(
    task: (leftMs: number) => Promise<Reply>,
    endMs: number,
  ): Promise<Reply | undefined> {
    const { clock, callTimeoutMs } = this.settings;
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)) {
      const leftMs = endMs - clock.now();
      if (leftMs < 1) return undefined;
      try {
        return await task(Math.min(leftMs, callTimeoutMs));
      } catch (error) {
        if (!(error as SnowflakeError).retryable || clock.now() + retryMs >= endMs) return undefined;
      }
      await new Promise<void>((resolve) => {
        clock.schedule(retryMs, resolve).keepProcessAlive?.();
      });
    }
  }
}
