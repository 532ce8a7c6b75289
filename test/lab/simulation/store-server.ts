import { START_MS, type World } from './world.js';

/** What a server keeps. */
export interface Database {
  copy(): Database;
  wipe(): void;
}

/** What a command sees of the server that executes it. */
export interface ServerView {
  /** The server's clock, whole Unix milliseconds. */
  readonly nowMs: number;
  /** Identity of the server's history (Redis: `master_replid`). */
  readonly historyId: string;
  /** Time since the last acknowledgement of the replica, in whole seconds, as Redis reports it. */
  readonly replicaLagSeconds: number;
}

/** One atomic step on a database. */
export type Command<Content extends Database, Reply> = (content: Content, server: ServerView) => Reply;

/** One server: a database, a clock and a history of its own. */
export class StoreServer<Content extends Database> {
  isUp = true;
  /** Until when, in true time, it takes commands without executing them. */
  hungUntilMs = 0;
  /** How wrong its clock is. */
  clockErrorMs = 0;
  /** When its replica stopped to follow it, true time. */
  replicaLostAtMs = Number.POSITIVE_INFINITY;
  /** The latest clock reading at which it executed anything since this was last reset. */
  highestExecutedMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly world: World,
    public content: Content,
    public historyId: string,
  ) {}

  get nowMs(): number {
    return Math.floor(this.world.nowMs + this.clockErrorMs);
  }

  execute<Reply>(command: Command<Content, Reply>): Reply {
    const { nowMs, historyId, replicaLagSeconds } = this;
    this.highestExecutedMs = Math.max(this.highestExecutedMs, nowMs);
    return command(this.content, { nowMs, historyId, replicaLagSeconds });
  }

  /** Puts the clock right, if need be, so that it reads no less than `leastMs`. */
  raiseClockTo(leastMs: number): void {
    if (this.nowMs < leastMs) this.clockErrorMs += leastMs - this.nowMs;
  }

  /** A replica reports once a second, and Redis compares whole seconds. */
  private get replicaLagSeconds(): number {
    const heardMs = Math.min(this.world.nowMs, this.replicaLostAtMs) - START_MS;
    return Math.floor((this.world.nowMs - START_MS) / 1000) - Math.floor(heardMs / 1000);
  }
}
