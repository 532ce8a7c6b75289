import { Inject, Injectable, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { systemClock } from '../../core/clock/system-clock.js';
import { Boot } from './boot.js';
import { BoundedDrain, type Stoppable } from './bounded-drain.js';

/** What a module creates and starts while the app starts, and stops when it shuts down. */
export interface Startable extends Stoppable {
  start(): Promise<void>;
}

/** How a module stops what it has made. */
export interface Stopping {
  readonly drainTimeoutMs: number;
  readonly warn: (message: string) => void;
  /** What happens at the bound, as a sentence for the log. */
  readonly ending: string;
}

/**
 * Starts what a module has created, and stops it when startup fails or when the app has shut down. Empty if a test overrides the
 * provider: what it provides instead belongs to the test.
 */
@Injectable()
export class Lifecycle<Made extends Startable = Startable> implements OnModuleDestroy, OnApplicationShutdown {
  /** What has started. */
  made: Made | undefined;
  private drain: BoundedDrain | undefined;

  constructor(@Inject(Boot) private readonly boot: Boot) {}

  /** Starts `made`, and returns it. Call it in a boot step. */
  async start(made: Made, { drainTimeoutMs, warn, ending }: Stopping): Promise<Made> {
    this.boot.onFailure(() => made.stop());
    await made.start();
    this.made = made;
    this.drain = new BoundedDrain(made, drainTimeoutMs, systemClock, warn, ending);
    return made;
  }

  /** This hook runs before the HTTP server closes, which it may never do. */
  onModuleDestroy(): void {
    this.drain?.begin();
  }

  /** The last hook: requests have drained and databases are closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.drain?.end();
  }
}
