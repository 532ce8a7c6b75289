import { setImmediate as turn } from 'node:timers/promises';
import {
  LeaseExhaustedError,
  SnowflakeIdMaker,
  type LeaseStore,
  type SnowflakeOptions,
} from 'nestjs-snowflake';
import { VirtualClock } from '../../../../../libs/snowflake/src/stores/port/virtual-clock.js';
import { WindowLedger } from '../../../../../libs/snowflake/src/stores/port/window-ledger.js';
import type { VirtualServer } from '../../../../integration/redis-store/virtual-server.js';
import { recordedStore } from '../../../../lease/support/recorded-store.js';

const IDS_AT_A_TIME = 3;

/** One process of the churn: an ID maker on a clock of its own. When nobody moves that clock, it is dead. */
export interface ChurnHolder {
  readonly maker: SnowflakeIdMaker;
  readonly clock: VirtualClock;
  readonly workerId: number;
  /** End of its window by the replies that it got. */
  untilMs: number;
}

/**
 * Processes that start and stop on one namespace of a real Redis, whose clock the test controls. It keeps its own list of the
 * worker IDs in use, from the replies that the processes got.
 */
export class Churn {
  readonly ledger = new WindowLedger();
  readonly ids: bigint[] = [];
  readonly live: ChurnHolder[] = [];

  private readonly store: LeaseStore;
  private readonly inFlight = new Set<Promise<unknown>>();
  private readonly reservedUntilMs = new Map<number, number>();
  /** The last killed process of each worker ID. */
  private readonly killed = new Map<number, ChurnHolder>();

  constructor(
    private readonly server: VirtualServer,
    private readonly options: Omit<SnowflakeOptions, 'store'>,
    private readonly workerCount: number,
    private nowMs: number,
  ) {
    const store = recordedStore(server.store, this.ledger);
    this.store = {
      ...store,
      // One connection serves all of them, and outlives each.
      open: undefined,
      close: async () => undefined,
      lease: (request, deadline) => this.track(store.lease(request, deadline)),
    };
  }

  /**
   * Lets time pass for the server and all processes that live; they renew when it is due, and generate IDs. Pass less than
   * a call may take: the server answers in real time, and would otherwise seem not to answer at all.
   */
  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    await this.server.become({ nowMs: this.nowMs, historyId: 'a' });
    for (const holder of this.live) {
      await this.drive(holder.clock, ms);
      this.issue(holder);
    }
  }

  /** Lets time pass for one process, until its calls have been answered. */
  async drive(clock: VirtualClock, ms: number): Promise<void> {
    await clock.advance(ms);
    while (this.inFlight.size > 0) {
      await Promise.allSettled(this.inFlight);
      await turn();
    }
  }

  /** Whether a worker ID is free, by the replies that the processes got. */
  get hasFree(): boolean {
    if (this.reservedUntilMs.size < this.workerCount) return true;
    return Math.min(...this.reservedUntilMs.values()) < this.nowMs;
  }

  /** How long it takes until the next worker ID is free unless it is renewed, by the replies that the processes got. */
  get nextFreeInMs(): number {
    return Math.min(...this.reservedUntilMs.values()) - this.nowMs;
  }

  /** Starts a process. It gets a worker ID at once or rejects: there is nobody to wait for. */
  async start(): Promise<ChurnHolder> {
    const { clock, maker } = this.newProcess();
    const refused = new Promise<never>((_, reject) => {
      maker.subscribe((event) => {
        if (event.type === 'waiting') reject(new Error(`refused a worker ID: ${JSON.stringify(event)}`));
      });
    });
    let untilMs = 0;
    maker.subscribe((event) => {
      if (event.type !== 'acquired' && event.type !== 'renewed') return;
      untilMs = event.untilMs;
      this.reservedUntilMs.set(event.workerId, untilMs);
    });
    await Promise.race([maker.start(), refused]);
    const workerId = maker.status().workerId ?? -1;
    const holder = {
      maker,
      clock,
      workerId,
      get untilMs() {
        return untilMs;
      },
    };
    this.live.push(holder);
    this.issue(holder);
    this.wakePredecessor(workerId);
    return holder;
  }

  newProcess(): Pick<ChurnHolder, 'maker' | 'clock'> {
    const clock = new VirtualClock(this.nowMs);
    return { clock, maker: new SnowflakeIdMaker({ ...this.options, store: this.store }, { clock }) };
  }

  /** The process dies without a word. */
  kill(victim: number): void {
    const holder = this.takeOut(victim);
    if (holder) this.killed.set(holder.workerId, holder);
  }

  /** The process gives its worker ID back. */
  async release(victim: number): Promise<void> {
    const holder = this.takeOut(victim);
    if (!holder) return;
    holder.maker.subscribe((event) => {
      if (event.type === 'released') this.reservedUntilMs.set(event.workerId, event.lastUsedMs);
    });
    await holder.maker.stop();
  }

  private takeOut(victim: number): ChurnHolder | undefined {
    return this.live.splice(victim % this.live.length, 1)[0];
  }

  /** It was paused rather than dead, and goes on before it gets the reply that another process holds its worker ID now. */
  private wakePredecessor(workerId: number): void {
    const predecessor = this.killed.get(workerId);
    if (!predecessor) return;
    this.killed.delete(workerId);
    predecessor.clock.freeze(this.nowMs - predecessor.clock.now());
    this.issue(predecessor);
  }

  private issue({ maker }: ChurnHolder): void {
    try {
      this.ids.push(...maker.nextBigInts(IDS_AT_A_TIME));
    } catch (error) {
      if (!(error instanceof LeaseExhaustedError)) throw error;
    }
  }

  private track<T>(call: Promise<T>): Promise<T> {
    const tracked = call.finally(() => this.inFlight.delete(tracked));
    this.inFlight.add(tracked);
    return tracked;
  }
}
