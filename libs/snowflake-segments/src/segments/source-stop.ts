import type { Rest } from '../core/segment-chain.js';
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
  readonly tell: SegmentListener;
}

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 200;

/** Gives back what a source has left when it stops, within `stopTimeoutMs`. */
export class SourceStop {
  private readonly endMs: number;
  private readonly lateEndMs: number;

  /** @param lateMs how long it waits for what claims without a reply may have been granted */
  constructor(
    private readonly tag: string,
    private readonly claimer: SegmentClaimer,
    private readonly settings: StopSettings,
    private readonly lateMs = settings.stopTimeoutMs,
  ) {
    const nowMs = settings.clock.now();
    this.endMs = nowMs + settings.stopTimeoutMs;
    this.lateEndMs = nowMs + lateMs;
  }

  /**
   * Never rejects. What is at hand doesn't wait for a claim that hangs.
   *
   * @param granted what the claim that is under way is granted, when it has settled
   */
  async returnRemainder(rests: readonly Rest[], granted: Promise<readonly Rest[]>): Promise<void> {
    const used = this.claimer.drainFinished();
    await Promise.all([this.returnAll([...rests, ...used]), this.returnLate(granted)]);
  }

  /** Gives back what claims grant after the stop, and what they were granted in replies that got lost. */
  private async returnLate(granted: Promise<readonly Rest[]>): Promise<void> {
    const { clock } = this.settings;
    const rests = await settledWithin(clock, this.lateMs, granted, () => undefined).catch(() => []);
    const late = await this.retried((leftMs) => this.claimer.claimUnanswered(leftMs), this.lateEndMs);
    await this.returnAll([...rests, ...(late ? [late.segment] : [])]);
    await this.retried((leftMs) => this.claimer.returnLost(leftMs), this.lateEndMs);
  }

  private async returnAll(rests: readonly Rest[]): Promise<void> {
    const { returner, tell } = this.settings;
    const { tag } = this;
    await Promise.all(
      rests.map(async (rest) => {
        const isBack = await this.retried(() => returner.returnRemainder(tag, rest, this.endMs), this.endMs);
        if (rest.count > 0) tell({ type: isBack ? 'returned' : 'return-failed', tag, count: rest.count });
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
