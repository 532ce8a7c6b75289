import type { EventLoop } from './event-loop.js';
import type { Maker, SimulatedEnvironment } from './protocol.js';
import type { Random } from './random.js';
import type { Command, Database } from './store-server.js';

type Environment<Content extends Database> = SimulatedEnvironment<Content>;

/** A process that does the same as another one, step by step, until it goes on by itself: a copy of its memory. */
export interface Twin {
  readonly loop: EventLoop;
  readonly maker: Maker;
  /** Ends the step. From now on it calls the store itself, from another host. */
  split(host: number): void;
}

interface Reply {
  readonly promise: Promise<unknown>;
  resolve(reply: unknown): void;
  reject(error: unknown): void;
}

/**
 * Keeps two processes in step: the second one gets the replies to the calls of the first, and calls nobody. Objects of a process
 * can't be copied at any moment, but two that have had the same input are copies of each other.
 */
export class CopiedMemory<Content extends Database> {
  private readonly replies: Reply[] = [];
  private sent = 0;
  private heard = 0;
  private isSplit = false;
  private hearsLast = false;

  constructor(private readonly random: Random) {}

  /** Returns the environment of the process whose calls travel. */
  original(environment: Environment<Content>): Environment<Content> {
    return {
      ...environment,
      call: (command) => {
        const reply = environment.call(command);
        const { resolve, reject } = this.replyAt(this.sent++);
        reply.then(resolve, reject);
        return reply;
      },
    };
  }

  /** Returns the environment of its copy. The two have equal streams of random numbers. */
  copy(environment: Environment<Content>): Environment<Content> {
    const kernel = this.random.fork('kernel of the copy');
    return {
      ...environment,
      nonce: () => (this.isSplit ? kernel.hex() : environment.nonce()),
      call: <Result>(command: Command<Content, Result>): Promise<Result> =>
        this.isSplit ? environment.call(command) : this.hear(environment.loop),
    };
  }

  /** Ends the step. The reply to a call in flight reaches the original, and perhaps the copy, too. */
  split(): void {
    this.isSplit = true;
    this.hearsLast = this.random.chance(0.5);
  }

  private hear<Result>(loop: EventLoop): Promise<Result> {
    const reply = this.replyAt(this.heard++);
    return new Promise((resolve, reject) => {
      const deliver = (task: () => void): void => {
        if (!this.isSplit || this.hearsLast) loop.deliver(task);
      };
      reply.promise.then(
        (value) => deliver(() => resolve(value as Result)),
        (error: unknown) => deliver(() => reject(error as Error)),
      );
    });
  }

  private replyAt(index: number): Reply {
    const known = this.replies[index];
    if (known) return known;
    let settle: Omit<Reply, 'promise'> | undefined;
    const promise = new Promise<unknown>((resolve, reject) => (settle = { resolve, reject }));
    promise.catch(() => undefined);
    return (this.replies[index] = { promise, ...settle! });
  }
}
