import { Injectable } from '@nestjs/common';
import { systemClock } from '../../core/clock/system-clock.js';
import { BoundedDrain, type Stoppable } from './bounded-drain.js';

/** How a module stops what it has made. */
export interface Stopping {
  readonly drainTimeoutMs: number;
  readonly warn: (message: string) => void;
  /** What happens at the bound, as a sentence for the log. */
  readonly ending: string;
}

/**
 * What a module has made itself, which it stops. Empty if a test overrides the provider: what it provides instead belongs to the
 * test.
 */
@Injectable()
export class Lifecycle<Made extends Stoppable = Stoppable> {
  /** What has started. */
  made: Made | undefined;
  private drain: BoundedDrain | undefined;

  /** Records what has started. */
  adopt(made: Made, { drainTimeoutMs, warn, ending }: Stopping): void {
    this.made = made;
    this.drain = new BoundedDrain(made, drainTimeoutMs, systemClock, warn, ending);
  }

  /** Call it before the HTTP server closes, which it may never do. */
  beginDrain(): void {
    this.drain?.begin();
  }

  /** Call it when requests have drained and databases are closed. Resolves when it has stopped. */
  async endDrain(): Promise<void> {
    await this.drain?.end();
  }
}
