import { EventLoop, type WallTime } from './event-loop.js';
import type { Checker } from './checker.js';
import type { Twin } from './copied-memory.js';
import type { Maker } from './protocol.js';
import type { Random } from './random.js';
import type { World } from './world.js';

/** How a host's requests for IDs come: batches of so many IDs, so far apart. */
export interface Workload {
  readonly meanGapMs: number;
  readonly largestBatch: number;
}

/** One start of the program. */
interface Process {
  readonly number: number;
  readonly loop: EventLoop;
  readonly maker: Maker;
  isReady: boolean;
  isStopping: boolean;
  /** Does the same in the same steps, so that it can go on as a copy of the process. */
  twin?: Twin;
}

/** A process that is started, and what does the same. */
export interface Started {
  readonly maker: Maker;
  readonly twin?: Twin;
}

/** How long it takes from the end of a process to the next start, milliseconds. */
const RESTART_MS = [20, 4000] as const;
/** How long a process may take to stop before it is killed, in milliseconds. */
const KILL_AFTER_MS = 10_000;

/** A host with a clock on which one process at a time runs, requests IDs, and is restarted when it ends. */
export class Host implements WallTime {
  errorMs = 0;
  /** When IDs were last made here, true time. */
  lastIssuedMs = Number.NEGATIVE_INFINITY;

  /** Called when the process sends its next request to the store. */
  onNextCall: (() => void) | undefined;
  hasRun = false;

  private process: Process | undefined;
  private readonly who: string;

  constructor(
    private readonly world: World,
    readonly index: number,
    private readonly random: Random,
    private readonly checker: Checker,
    private readonly workload: Workload,
    private readonly startOn: (host: Host, loop: EventLoop, name: string) => Started,
  ) {
    this.who = `host ${index}`;
  }

  /** Starts the first process and the requests for IDs. */
  begin(delayMs: number): void {
    this.world.after(delayMs, () => this.start());
    this.beginRequests(delayMs);
  }

  /** Lets a copy of the memory of the process go on on another host. @returns whether there is a process to copy */
  copyTo(other: Host, dueMs: number): boolean {
    const { process } = this;
    if (!process?.twin || !process.isReady || other.hasRun) return false;
    const { twin } = process;
    process.twin = undefined;
    twin.split(other.index);
    const number = this.checker.nextProcess();
    const copy = { number, loop: twin.loop, maker: twin.maker };
    this.world.trace(this.who, () => `process ${process.number} goes on as process ${number}, too`);
    this.checker.copied(process.number, number, this.world.nowMs + dueMs);
    other.process = { ...copy, isReady: true, isStopping: false };
    other.beginRequests(0);
    return true;
  }

  private beginRequests(delayMs: number): void {
    this.hasRun = true;
    const request = (): void => {
      this.issue(this.random.whole(1, this.workload.largestBatch));
      this.world.after(this.random.exponential(this.workload.meanGapMs), request);
    };
    this.world.after(delayMs, request);
  }

  /** Ends the process as `kill -9` does, and starts another one. */
  crash(): void {
    const { process } = this;
    if (!process) return;
    this.world.trace(this.who, () => `process ${process.number} is killed`);
    this.end(process);
  }

  /** Asks the process to stop, and starts another one when it has. */
  restart(): void {
    const { process } = this;
    if (!process || process.isStopping) return;
    this.world.trace(this.who, () => `process ${process.number} is asked to stop`);
    process.isStopping = true;
    this.endTwin(process);
    this.world.after(KILL_AFTER_MS, () => this.end(process));
    process.loop.deliver(() => {
      void process.maker.stop().then(() => this.end(process));
    });
  }

  /** Pauses the process, or puts the host to sleep. Afterwards IDs may be requested before anything else happens. */
  pause(ms: number, isSuspended: boolean): void {
    const loop = this.process?.loop;
    if (!loop) return;
    this.world.trace(this.who, () => `is ${isSuspended ? 'suspended' : 'paused'} for ${Math.round(ms)} ms`);
    const issueAtOnce = this.random.chance(0.5) ? () => this.issue(3) : undefined;
    const twin = this.process?.twin?.loop;
    if (isSuspended) {
      twin?.suspend(ms);
      loop.suspend(ms, issueAtOnce);
    } else {
      twin?.pause(ms);
      loop.pause(ms, issueAtOnce);
    }
  }

  /** Steps the clock. */
  setClockError(errorMs: number): void {
    this.world.trace(
      this.who,
      () => `clock was wrong by ${Math.round(this.errorMs)} ms, now by ${Math.round(errorMs)} ms`,
    );
    this.errorMs = errorMs;
  }

  private start(): void {
    const number = this.checker.nextProcess();
    const loop = new EventLoop(this.world, this);
    const { maker, twin } = this.startOn(this, loop, `host${this.index}/${number}`);
    const process: Process = { number, loop, maker, isReady: false, isStopping: false, twin };
    this.process = process;
    this.world.trace(this.who, () => `process ${number} starts`);
    loop.turn(() => {
      maker.start().then(
        () => void (process.isReady = true),
        (error: unknown) => {
          this.world.trace(this.who, () => `process ${number} failed to start: ${nameOf(error)}`);
          this.end(process);
        },
      );
    });
    twin?.loop.turn(() => void twin.maker.start().catch(() => undefined));
  }

  private endTwin(process: Process): void {
    if (process.twin) process.twin.loop.isAlive = false;
    process.twin = undefined;
  }

  private end(process: Process): void {
    if (this.process !== process) return;
    process.loop.isAlive = false;
    this.endTwin(process);
    this.process = undefined;
    this.world.after(this.random.between(...RESTART_MS), () => this.start());
  }

  private issue(count: number): void {
    const { process } = this;
    if (!process || process.isStopping || process.loop.isPaused) return;
    if (!process.isReady) {
      this.checker.unready();
      return;
    }
    process.loop.turn(() => this.issueNow(process, count), false);
    const { twin } = process;
    // Its IDs are those of the process.
    twin?.loop.turn(() => idsOf(twin.maker, count), false);
  }

  private issueNow({ maker, number, loop }: Process, count: number): void {
    const { trueMs } = loop;
    let ids: BigUint64Array;
    try {
      ids = maker.issue(count);
    } catch (error) {
      this.checker.refused();
      this.world.trace(this.who, () => `could not make ${count} IDs: ${nameOf(error)}`);
      return;
    }
    this.lastIssuedMs = this.world.nowMs;
    const problem = this.checker.issued(ids, { process: number, tenure: maker.tenure, trueMs });
    this.world.trace(this.who, () => this.checker.describe(ids));
    if (problem) this.world.trace(this.who, () => `PROBLEM: ${problem}`);
  }
}

function idsOf(maker: Maker, count: number): BigUint64Array | undefined {
  try {
    return maker.issue(count);
  } catch {
    return undefined;
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : String(error);
}
