import { BitLayout } from '../../../libs/snowflake/src/core/layout/bit-layout.js';
import { IdGenerator } from '../../../libs/snowflake/src/core/generator/generator.js';
import { StoreUnavailableError } from '../../../libs/snowflake/src/core/errors/lease-errors.js';
import type { Clock } from '../../../libs/snowflake/src/core/clock/clock.js';
import { keeperSettings, type LeaseOptions } from '../../../libs/snowflake/src/lease/lease-options.js';
import { LeaseKeeper } from '../../../libs/snowflake/src/lease/lease-keeper.js';
import type {
  CallDeadline,
  LeaseReply,
  LeaseRequest,
  LeaseStore,
} from '../../../libs/snowflake/src/lease/lease-store.js';
import { VirtualClock } from '../../../libs/snowflake/src/stores/port/virtual-clock.js';
import { memoryLeaseStore } from '../../../libs/snowflake/src/stores/memory/memory-lease-store.js';
import { Random } from './random.js';

/** What a server needs to let a process in, and to answer a call. Measured on PostgreSQL: 10 ms and 4 ms. */
const CONNECT_MS = 10;
const CALL_MS = 4;

/** How long the event loop of a process is busy with other things while it boots. */
const BOOT_MS = 20;

/** How a crowd behaves: as this library does, or without one of the mechanisms. */
export interface CrowdRules {
  /** A call of a newcomer keeps its place while it waits. */
  readonly waitsInLine: boolean;
  /** Calls that fail follow each other more and more slowly. */
  readonly backsOff: boolean;
  /** Renewals go before newcomers. */
  readonly holdersFirst: boolean;
  /** Nobody holds the lock while a message or a process takes its time, as on PostgreSQL. */
  readonly locksBriefly: boolean;
}

export const OURS: CrowdRules = {
  waitsInLine: true,
  backsOff: true,
  holdersFirst: true,
  locksBriefly: true,
};

/** A server that does one thing at a time. It finishes what it has accepted, although the caller may have left. */
class BusyServer {
  private readonly waiting: Readonly<Record<'holder' | 'newcomer', (() => void)[]>> = {
    holder: [],
    newcomer: [],
  };
  private isBusy = false;

  constructor(private readonly clock: Clock) {}

  /** Resolves when `ms` of work are done, which begin when it is this caller's turn. */
  async work(line: 'holder' | 'newcomer', ms: number): Promise<void> {
    if (this.isBusy) await new Promise<void>((resolve) => this.waiting[line].push(resolve));
    this.isBusy = true;
    await pause(this.clock, ms);
    const next = this.waiting.holder.shift() ?? this.waiting.newcomer.shift();
    if (next) next();
    else this.isBusy = false;
  }
}

/** The store of one process, which connects once and loses its connection with a call that is given up. */
class CrowdedStore implements LeaseStore {
  readonly description = 'a busy store';
  readonly renewable = true;
  private isConnected = false;

  constructor(
    private readonly inner: LeaseStore,
    private readonly server: BusyServer,
    private readonly clock: Clock,
    private readonly roundTripMs: number,
    private readonly rules: CrowdRules,
  ) {}

  async lease(request: LeaseRequest, deadline: CallDeadline): Promise<LeaseReply> {
    const line = request.claim && this.rules.holdersFirst ? 'holder' : 'newcomer';
    if (this.rules.waitsInLine) deadline.queue?.();
    if (!this.isConnected) {
      await pause(this.clock, this.roundTripMs);
      await this.server.work(line, CONNECT_MS);
      this.requireTime(deadline);
      this.isConnected = true;
    }
    await pause(this.clock, this.roundTripMs / 2);
    const heldMs = this.rules.locksBriefly ? 0 : this.roundTripMs + BOOT_MS;
    await this.server.work(line, CALL_MS + heldMs);
    if (this.rules.waitsInLine) deadline.begin?.();
    const reply = await this.inner.lease(request);
    await pause(this.clock, this.roundTripMs / 2);
    this.requireTime(deadline);
    return reply;
  }

  private requireTime(deadline: CallDeadline): void {
    if (deadline.remainingMs() > 0) return;
    this.isConnected = false;
    throw new StoreUnavailableError('the caller has left');
  }

  release(...args: Parameters<LeaseStore['release']>): ReturnType<LeaseStore['release']> {
    return this.inner.release(...args);
  }

  inspect(): ReturnType<LeaseStore['inspect']> {
    return this.inner.inspect();
  }

  async close(): Promise<void> {}
}

const CONSTANT_RETRIES = { retryDelayMs: () => 190 };

/** Processes of one namespace in virtual time, all of which start at once on a server that is slow and far away. */
export class Crowd {
  private readonly clock = new VirtualClock();
  private readonly inner = memoryLeaseStore({ clock: this.clock });
  private readonly server = new BusyServer(this.clock);
  private readonly random = new Random(1);
  private nonces = 0;

  constructor(
    private readonly roundTripMs: number,
    private readonly rules: CrowdRules = OURS,
    private readonly lease: LeaseOptions = {},
  ) {}

  /** Adds processes that start now. @returns what has become of them so far */
  start(count: number): { started(): number; lost(): number; failed(): number } {
    const keepers = Array.from({ length: count }, () => this.keeper());
    const held = new Set<LeaseKeeper>();
    let lost = 0;
    for (const keeper of keepers) {
      keeper.subscribe(({ type }) => void (lost += type === 'lost' ? 1 : 0));
      keeper.start().then(
        () => held.add(keeper),
        () => undefined,
      );
    }
    const failures = (keeper: LeaseKeeper): number =>
      [...keeper.failedCalls.values()].reduce((a, b) => a + b, 0);
    return {
      started: () => [...held].filter((keeper) => keeper.currentState() === 'active').length,
      lost: () => lost,
      failed: () => keepers.reduce((sum, keeper) => sum + failures(keeper), 0),
    };
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  private keeper(): LeaseKeeper {
    const { clock, random, rules } = this;
    const layout = new BitLayout();
    const store = new CrowdedStore(this.inner, this.server, clock, this.roundTripMs, rules);
    const settings = keeperSettings(layout, { possibleLoss: 'ignore', ...this.lease });
    const environment = {
      clock,
      random: () => random.between(0, 1),
      nonce: () => String((this.nonces += 1)).padStart(16, '0'),
      holderName: 'one of many',
      nodeEnv: () => undefined,
    };
    const mechanisms = rules.backsOff ? undefined : CONSTANT_RETRIES;
    return new LeaseKeeper(store, new IdGenerator(layout, clock), settings, environment, mechanisms);
  }
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.schedule(ms, resolve));
}
