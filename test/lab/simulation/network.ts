import type { EventLoop } from './event-loop.js';
import type { Random } from './random.js';
import type { StoreCluster } from './store-cluster.js';
import type { Command, Database } from './store-server.js';
import type { World } from './world.js';

/** How well calls travel. Shares are between 0 and 1, times in milliseconds. */
export interface Conditions {
  readonly latencyMs: readonly [number, number];
  /** Share of messages that never arrive. */
  readonly lost: number;
  /** Share of messages that take up to `slowMs`. */
  readonly slow: number;
  readonly slowMs: number;
  /** Share of requests that arrive once more, up to `stuckMs` later: stuck in a buffer or a proxy. */
  readonly stuck: number;
  readonly stuckMs: number;
}

export const GOOD_CONDITIONS: Conditions = {
  latencyMs: [0.1, 3],
  lost: 0,
  slow: 0,
  slowMs: 0,
  stuck: 0,
  stuckMs: 0,
};

/** Where a call comes from. */
export interface Caller {
  readonly host: number;
  readonly loop: EventLoop;
}

/** Refused by a server that is down. */
export class ConnectionRefused extends Error {}

/** What lies between holders and servers. */
export class Network<Content extends Database> {
  conditions: Conditions = GOOD_CONDITIONS;

  /** Until when a host is cut off, true time. */
  private readonly cutUntilMs = new Map<number, number>();
  /** What each host sent last. */
  private readonly lastCalls = new Map<number, () => void>();

  constructor(
    private readonly world: World,
    private readonly cluster: StoreCluster<Content>,
    private readonly random: Random,
  ) {}

  /** Cuts a host off from all servers. What it sends may arrive afterwards. */
  cut(host: number, ms: number): void {
    this.cutUntilMs.set(host, Math.max(this.cutUntilMs.get(host) ?? 0, this.world.nowMs + ms));
    this.world.trace(`host ${host}`, () => `is cut off for ${Math.round(ms)} ms`);
  }

  healAll(): void {
    this.conditions = GOOD_CONDITIONS;
    this.cutUntilMs.clear();
  }

  /** Sends a command. The promise never settles if the request or the reply is lost. */
  call<Reply>(caller: Caller, command: Command<Content, Reply>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.send(caller.host, () => this.execute(caller, command, resolve, reject));
    });
  }

  /** Lets a request of a host travel. It arrives once as a rule, but perhaps never or twice. */
  send(host: number, arrive: () => void): void {
    this.lastCalls.set(host, arrive);
    this.travel(host, arrive);
    if (!this.random.chance(this.conditions.stuck)) return;
    this.world.after(this.random.between(0, this.conditions.stuckMs), () => this.arriveLate(host, arrive));
  }

  /** Lets a reply travel. It may get lost. */
  reply(caller: Caller, arrive: () => void): void {
    this.travel(caller.host, () => caller.loop.deliver(arrive));
  }

  /** A copy of what a host has sent last, to arrive whenever the result is called. */
  copyOfLastCall(host: number): () => void {
    const execute = this.lastCalls.get(host);
    return () => execute && this.arriveLate(host, execute);
  }

  private arriveLate(host: number, execute: () => void): void {
    this.world.trace(`host ${host}`, () => 'a stuck copy of a call arrives');
    execute();
  }

  private execute<Reply>(
    caller: Caller,
    command: Command<Content, Reply>,
    resolve: (reply: Reply) => void,
    reject: (error: Error) => void,
  ): void {
    const server = this.cluster.serverFor(caller.host);
    const hangsMs = server.hungUntilMs - this.world.nowMs;
    if (hangsMs > 0) {
      this.world.after(hangsMs, () => this.execute(caller, command, resolve, reject));
      return;
    }
    const back = (task: () => void): void => this.reply(caller, task);
    if (!server.isUp) {
      back(() => reject(new ConnectionRefused('connection refused')));
      return;
    }
    try {
      const reply = server.execute(command);
      back(() => resolve(reply));
    } catch (error) {
      back(() => reject(error instanceof Error ? error : new Error(String(error))));
    }
  }

  private travel(host: number, arrive: () => void): void {
    const { random, conditions } = this;
    const { latencyMs, lost, slow, slowMs } = conditions;
    const isLost = random.chance(lost);
    const isSlow = random.chance(slow);
    const delayMs = isSlow ? random.between(0, slowMs) : random.between(...latencyMs);
    const isKept = random.chance(0.5);
    if (isLost) return;
    this.world.after(delayMs, () => {
      const cutMs = (this.cutUntilMs.get(host) ?? 0) - this.world.nowMs;
      if (cutMs <= 0) arrive();
      // Kernels send again what was not acknowledged: half of it gets through when the cut is over.
      else if (isKept) this.world.after(cutMs + delayMs, arrive);
    });
  }
}
