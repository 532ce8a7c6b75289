import { EventLoop, type WallTime } from './event-loop.js';
import { type Caller, ConnectionRefused, type Network } from './network.js';
import type { Random } from './random.js';
import type { Database } from './store-server.js';
import type { World } from './world.js';

/** The response of a service to one request. */
export interface ServiceReply {
  readonly status: number;
  /** The name of the call that it responds to. */
  readonly call: string;
  readonly body: string;
}

/** What a service does with a request. Its calls of the store come from `service`. */
export type Serve = (service: Caller) => Promise<ServiceReply>;

export const SERVICES = 2;
/** Responses that a cache or a proxy still has. */
const KEPT_REPLIES = 30;

/** Services between processes and the store. Service n runs on host n, and keeps nothing: only the store holds leases. */
export class Services<Content extends Database = Database> {
  /** Share of requests that get an earlier response, to whatever call of whatever process. */
  stale = 0;

  private readonly loops: EventLoop[];
  private readonly replies: ServiceReply[] = [];

  constructor(
    private readonly world: World,
    private readonly network: Network<Content>,
    private readonly hosts: readonly WallTime[],
    private readonly random: Random,
  ) {
    this.loops = Array.from({ length: SERVICES }, (_, index) => this.newLoop(index));
  }

  /** Sends a request. The promise never settles if the request or the response is lost. */
  request(caller: Caller, index: number, serve: Serve): Promise<ServiceReply> {
    return new Promise((resolve, reject) => {
      this.network.send(caller.host, () => this.arrive(caller, index, serve, resolve, reject));
    });
  }

  /** Ends a service, with all that it has begun, and starts it again. */
  kill(index: number, ms: number): void {
    this.world.trace(`service ${index}`, () => `is killed for ${Math.round(ms)} ms`);
    this.loops[index]!.isAlive = false;
    this.world.after(ms, () => (this.loops[index] = this.newLoop(index)));
  }

  pause(index: number, ms: number): void {
    this.world.trace(`service ${index}`, () => `is paused for ${Math.round(ms)} ms`);
    this.loops[index]!.pause(ms);
  }

  private arrive(
    caller: Caller,
    index: number,
    serve: Serve,
    resolve: (reply: ServiceReply) => void,
    reject: (error: Error) => void,
  ): void {
    const loop = this.loops[index]!;
    if (!loop.isAlive) {
      this.network.reply(caller, () => reject(new ConnectionRefused('connection refused')));
      return;
    }
    const stale = this.random.chance(this.stale) ? this.staleReply() : undefined;
    if (stale) this.network.reply(caller, () => resolve(stale));
    // A cache responds without the service, and a proxy that mixes up responses has called it.
    if (stale && this.random.chance(0.5)) return;
    loop.deliver(() => {
      void serve({ host: index, loop }).then((reply) => {
        this.replies.push(reply);
        if (this.replies.length > KEPT_REPLIES) this.replies.shift();
        this.network.reply(caller, () => resolve(reply));
      });
    });
  }

  private staleReply(): ServiceReply | undefined {
    return this.replies.length > 0 ? this.random.pick(this.replies) : undefined;
  }

  private newLoop(index: number): EventLoop {
    return new EventLoop(this.world, this.hosts[index]!);
  }
}
