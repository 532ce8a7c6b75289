import type { Clock, ScheduledTask } from '../../core/clock/clock.js';
import { wholeNumber } from '../../core/options/option-rule.js';

/** What a module creates while the app starts, and stops when it shuts down. */
export interface Stoppable {
  stop(): Promise<void>;
}

/** The option `drainTimeoutMs` of every module that lets requests drain. */
export const DRAIN_TIMEOUT_MS = wholeNumber(1, 86_400_000).or(10_000);

/**
 * Lets an app that shuts down issue IDs until its requests have drained, within a bound. An HTTP server with a connection
 * that never ends never closes, and then Nest calls no later hook.
 */
export class BoundedDrain {
  private hasBegun = false;
  private bound: ScheduledTask | undefined;

  /** @param ending what happens at the bound, as a sentence for the log */
  constructor(
    private readonly resource: Stoppable,
    private readonly timeoutMs: number,
    private readonly clock: Clock,
    private readonly warn: (message: string) => void,
    private readonly ending: string,
  ) {}

  /** Starts the bound. Later calls change nothing: Nest 11 runs the hooks once per `close()`. */
  begin(): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.bound = this.clock.schedule(this.timeoutMs, () => this.giveUp());
  }

  /** Stops the resource, since the requests have drained. Resolves when it has stopped. */
  async end(): Promise<void> {
    this.hasBegun = true;
    this.bound?.cancel();
    await this.resource.stop();
  }

  private giveUp(): void {
    this.warn(
      `The app has not shut down within drainTimeoutMs (${this.timeoutMs} ms). ${this.ending} ` +
        'Look for open connections and hanging requests.',
    );
    void this.resource.stop();
  }
}
