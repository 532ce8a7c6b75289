import type { Rest } from '../core/segment-chain.js';
import { nextEventLoopTurn } from '../store/event-loop-turn.js';
import { asSnowflakeError } from 'nestjs-snowflake/internal/lease/store-caller';
import { callStore, type CallSettings, returnTo } from '../store/store-calls.js';
import type { ReturnOutcome, SegmentReturn } from '../store/segment-store.js';

/** A rest, and until when it is worth a try. */
interface Waiting {
  readonly rest: SegmentReturn;
  readonly endMs: number;
  readonly resolve: (isBack: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** How many rests one transaction accepts at most: few enough that the locks on their tags are short. */
const LARGEST_BATCH = 100;
/** How much smaller the next one is after a failure: a slow database may not take so many in one call. */
const SHRINK = 4;

/** Returns rests, those of many tags together, so that an app with one tag per tenant stops within its timeout. */
export class RestReturner {
  private readonly waiting: Waiting[] = [];
  private isRunning = false;
  private size: number;

  constructor(private readonly settings: CallSettings) {
    this.size = settings.store.returnRemainders ? LARGEST_BATCH : 1;
  }

  /** Sends a rest to the store. Returns whether the store took it. @throws SnowflakeError */
  returnRest(tag: string, { token, first, count }: Rest, endMs: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ rest: { tag, token, first, count }, endMs, resolve, reject });
      if (!this.isRunning) void this.run();
    });
  }

  /** Never rejects. */
  private async run(): Promise<void> {
    this.isRunning = true;
    // The sources of a stop add theirs meanwhile.
    await nextEventLoopTurn(this.settings.clock);
    while (this.waiting.length > 0) await this.send(this.waiting.splice(0, this.size));
    this.isRunning = false;
  }

  private async send(batch: readonly Waiting[]): Promise<void> {
    const { store } = this.settings;
    try {
      const outcomes = await this.sent(batch);
      for (const [at, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[at];
        if (outcome?.status === 'rejected') reject(asSnowflakeError(outcome.reason, store.description));
        else resolve(outcome?.value.outcome === 'returned');
      }
    } catch (error) {
      this.size = Math.max(1, Math.floor(this.size / SHRINK));
      for (const { reject } of batch) reject(error);
    }
  }

  private sent(batch: readonly Waiting[]): Promise<readonly ReturnOutcome[]> {
    const { clock, callTimeoutMs, store } = this.settings;
    const leftMs = Math.max(...batch.map(({ endMs }) => endMs)) - clock.now();
    const timeoutMs = Math.max(1, Math.min(callTimeoutMs, leftMs));
    const rests = batch.map(({ rest }) => rest);
    return callStore(this.settings, timeoutMs, (deadline) => returnTo(store, rests, deadline));
  }
}
