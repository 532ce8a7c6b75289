import type { Random } from './random.js';
import { type Database, StoreServer } from './store-server.js';
import type { World } from './world.js';

/** How a master is lost and replaced. Milliseconds. */
export interface Failover {
  /** For how long the replica had not followed when it takes over: so much of history is lost. */
  readonly lagMs: number;
  /** Clock of the new master minus clock of the old one. */
  readonly clockDifferenceMs: number;
  /** How long nobody serves before the new master does. */
  readonly outageMs: number;
  /** For how long the old master serves some of the holders on after the new one has begun. */
  readonly splitMs: number;
}

/** The servers that play the store: one master as a rule, two while a deposed one serves on. */
export class StoreCluster<Content extends Database> {
  master: StoreServer<Content>;

  private deposed: StoreServer<Content> | undefined;
  private readonly followersOfDeposed = new Set<number>();
  private isFailingOver = false;
  private histories = 1;
  /** The theorem's condition: after a loss no clock may read less than this. */
  private leastClockMs = Number.NEGATIVE_INFINITY;
  private highestEverMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly world: World,
    content: Content,
    private readonly random: Random,
    private readonly maxSkewMs: number,
    private readonly hostCount: number,
  ) {
    this.master = new StoreServer(world, content, 'history1');
  }

  /** The server that a host reaches. */
  serverFor(host: number): StoreServer<Content> {
    return this.deposed && this.followersOfDeposed.has(host) ? this.deposed : this.master;
  }

  /** Steps the master's clock. Never below what the theorem allows after a loss. */
  stepClock(errorMs: number): void {
    if (this.isFailingOver) return;
    const { master } = this;
    this.rememberHighest();
    master.clockErrorMs = errorMs;
    master.raiseClockTo(this.leastClockMs);
    this.world.trace('store', () => `clock stepped, now wrong by ${Math.round(master.clockErrorMs)} ms`);
  }

  /** Loses everything: FLUSHALL, or a restart without persistence, which begins another history. */
  wipe(isRestart: boolean): void {
    this.rememberHighest();
    this.master.content.wipe();
    if (isRestart) this.beginHistory(this.master);
    this.forbidClockBelow(this.master, this.highestEverMs);
    this.world.trace('store', () => (isRestart ? 'restarted empty' : 'FLUSHALL'));
  }

  /** Stops the master for a while, without loss. */
  interrupt(ms: number, isHung: boolean): void {
    const { master } = this;
    if (!master.isUp) return;
    this.world.trace('store', () => `${isHung ? 'hangs' : 'is down'} for ${Math.round(ms)} ms`);
    if (isHung) {
      master.hungUntilMs = Math.max(master.hungUntilMs, this.world.nowMs + ms);
      return;
    }
    master.isUp = false;
    this.world.after(ms, () => {
      master.isUp = true;
      this.world.trace('store', () => 'is up again');
    });
  }

  /** The replica stops to follow now; after `lagMs` the master is gone or deposed and the replica takes over. */
  failOver(failover: Failover): boolean {
    if (this.isFailingOver || !this.master.isUp) return false;
    this.isFailingOver = true;
    const old = this.master;
    this.rememberHighest();
    old.highestExecutedMs = Number.NEGATIVE_INFINITY;
    old.replicaLostAtMs = this.world.nowMs;
    const copy = old.content.copy() as Content;
    this.world.trace('store', () => `the replica stops to follow ${JSON.stringify(failover)}`);
    this.world.after(failover.lagMs, () => this.promote(old, copy, failover));
    return true;
  }

  private promote(old: StoreServer<Content>, copy: Content, failover: Failover): void {
    const { splitMs, outageMs, clockDifferenceMs } = failover;
    if (splitMs === 0) old.isUp = false;
    this.world.after(splitMs === 0 ? outageMs : 0, () => {
      const successor = new StoreServer(this.world, copy, old.historyId);
      this.beginHistory(successor);
      successor.clockErrorMs = old.clockErrorMs + clockDifferenceMs;
      this.forbidClockBelow(successor, old.highestExecutedMs);
      this.master = successor;
      this.world.trace('store', () => `the replica is master, ${successor.historyId}`);
      if (splitMs === 0) this.isFailingOver = false;
      else this.split(old, failover);
    });
  }

  private split(old: StoreServer<Content>, { splitMs }: Failover): void {
    this.deposed = old;
    for (let host = 0; host < this.hostCount; host++) {
      if (this.random.chance(0.6)) this.followersOfDeposed.add(host);
    }
    const names = [...this.followersOfDeposed].join(' ');
    this.world.trace('store', () => `the deposed master goes on serving hosts ${names}`);
    this.world.after(splitMs, () => {
      this.deposed = undefined;
      this.followersOfDeposed.clear();
      old.isUp = false;
      this.isFailingOver = false;
      this.highestEverMs = Math.max(this.highestEverMs, old.highestExecutedMs);
      this.leastClockMs = Math.max(this.leastClockMs, old.highestExecutedMs - this.maxSkewMs);
      this.world.trace('store', () => 'the deposed master is fenced');
    });
  }

  private beginHistory(server: StoreServer<Content>): void {
    this.histories++;
    server.historyId = `history${this.histories}`;
  }

  private rememberHighest(): void {
    this.highestEverMs = Math.max(this.highestEverMs, this.master.highestExecutedMs);
  }

  private forbidClockBelow(server: StoreServer<Content>, lostMs: number): void {
    this.highestEverMs = Math.max(this.highestEverMs, lostMs);
    this.leastClockMs = Math.max(this.leastClockMs, lostMs - this.maxSkewMs);
    server.raiseClockTo(this.leastClockMs);
  }
}
