import { type Clock, type ScheduledTask, wholeNumber } from '../core/index.js';
import type { SnowflakeIdMaker } from '../maker/index.js';

/** The option `drainTimeoutMs` of every module that lets requests drain. */
export const DRAIN_TIMEOUT_MS = wholeNumber(1, 86_400_000).or(10_000);

/**
 * Lets an app that shuts down issue IDs until its requests have drained, within a bound. An HTTP server with a connection
 * that never ends never closes, and then Nest calls no later hook.
 */
export class BoundedDrain {
  private hasBegun = false;
  private bound: ScheduledTask | undefined;

  constructor(
    private readonly maker: Pick<SnowflakeIdMaker, 'stop'>,
    private readonly timeoutMs: number,
    private readonly clock: Clock,
    private readonly warn: (message: string) => void,
    private readonly ending = 'Issuing stops and the lease is released.',
  ) {}

  /** Starts the bound. Later calls change nothing: Nest 11 runs the hooks once per `close()`. */
  begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.bound = this.clock.schedule(this.timeoutMs, () => this.giveUp());
  }

  /** Stops the maker, since the requests have drained. Resolves when the lease is released. */
  async end(): Promise<void> {
    this.hasBegun = true;
    this.bound?.cancel();
    await this.maker.stop();
  }

  private giveUp(): void {
    this.warn(
      `The app has not shut down within drainTimeoutMs (${this.timeoutMs} ms). ${this.ending} ` +
        'Look for open connections and hanging requests.',
    );
    void this.maker.stop();
  }
}
