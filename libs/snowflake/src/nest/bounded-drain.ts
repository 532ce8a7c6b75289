import type { Clock, ScheduledTask } from '../core/index.js';
import type { SnowflakeIdMaker } from '../maker/index.js';

/**
 * Lets an app that shuts down make IDs until its requests have drained, but only for so long: an HTTP server with a
 * connection that never ends never closes, and Nest calls no later hook.
 */
export class BoundedDrain {
  private hasBegun = false;
  private bound: ScheduledTask | undefined;

  constructor(
    private readonly maker: Pick<SnowflakeIdMaker, 'stop'>,
    private readonly timeoutMs: number,
    private readonly clock: Clock,
    private readonly warn: (message: string) => void,
  ) {}

  /** The shutdown begins. Later calls change nothing: Nest 11 runs the hooks once per `close()`. */
  begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.bound = this.clock.schedule(this.timeoutMs, () => this.giveUp());
  }

  /** The requests have drained. Resolves when the lease is released. */
  async end(): Promise<void> {
    this.hasBegun = true;
    this.bound?.cancel();
    await this.maker.stop();
  }

  private giveUp(): void {
    this.warn(
      `The shutdown still goes on after ${this.timeoutMs} ms (drainTimeoutMs): issuing stops and the lease is released. ` +
        'Look for open connections and for requests that hang; end the process when its time is over.',
    );
    void this.maker.stop();
  }
}
