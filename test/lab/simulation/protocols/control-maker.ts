import type { Maker, SimulatedEnvironment } from '../protocol.js';
import { ClockSequence, ClockWentBack } from './clock-sequence.js';
import type { KeyValueDatabase } from './key-value-database.js';

/** No worker ID is held. */
export class NoWorkerId extends Error {
  override readonly name = 'NoWorkerId';
}

/** No answer within the bound. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** What the compared protocols have in common: a worker ID from a key-value store, and time from the local clock. */
export abstract class ControlMaker implements Maker {
  tenure = 0;

  protected workerId: number | undefined;
  protected readonly sequence: ClockSequence;
  private isStopped = false;

  constructor(protected readonly environment: SimulatedEnvironment<KeyValueDatabase>) {
    this.sequence = new ClockSequence(environment.layout, environment.loop.clock);
  }

  async start(): Promise<void> {
    this.adopt(await this.acquire());
    this.repeat();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.release().catch(() => undefined);
  }

  issue(count: number): BigUint64Array {
    if (this.workerId === undefined || !this.mayIssue()) throw new NoWorkerId('no worker ID is held');
    try {
      return this.sequence.issue(this.workerId, count);
    } catch (error) {
      if (error instanceof ClockWentBack) this.onRollback();
      throw error;
    }
  }

  /** @returns a worker ID. @throws when there is none */
  protected abstract acquire(): Promise<number>;
  /** Tells the store that this process lives. */
  protected abstract refresh(): Promise<void>;
  protected abstract readonly refreshEveryMs: number;

  protected async release(): Promise<void> {}

  protected mayIssue(): boolean {
    return true;
  }

  protected onRollback(): void {}

  protected adopt(workerId: number): void {
    this.workerId = workerId;
    this.tenure++;
    this.environment.trace(() => `holds worker ID ${workerId}`);
  }

  /** Takes another worker ID, and keeps trying. */
  protected replace(): void {
    if (this.workerId === undefined || this.isStopped) return;
    this.workerId = undefined;
    this.environment.touchPromises();
    const attempt = (): void => {
      this.acquire().then(
        (workerId) => this.adopt(workerId),
        () => this.environment.loop.clock.schedule(500, attempt),
      );
    };
    attempt();
  }

  /** A call of the store with the same bound as the library's. */
  protected bounded<Reply>(call: Promise<Reply>): Promise<Reply> {
    const { loop, timing } = this.environment;
    return new Promise((resolve, reject) => {
      const bound = loop.clock.schedule(timing.callTimeoutMs, () =>
        reject(new NoAnswer('the store is silent')),
      );
      call.then(resolve, reject).finally(() => bound.cancel());
    });
  }

  private repeat(): void {
    this.environment.loop.clock.schedule(this.refreshEveryMs, () => {
      if (this.isStopped) return;
      this.refresh().catch(() => undefined);
      this.repeat();
    });
  }
}
