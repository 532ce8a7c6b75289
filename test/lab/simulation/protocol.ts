import type { BitLayout } from '../../../libs/snowflake/src/core/layout/bit-layout.js';
import type { LeaseTiming } from '../../../libs/snowflake/src/lease/lease-options.js';
import type { EventLoop } from './event-loop.js';
import type { Random } from './random.js';
import type { Serve, ServiceReply } from './services.js';
import type { Caller } from './network.js';
import type { Command, Database } from './store-server.js';

/** What all holders of one simulated world agree on. */
export interface Agreement {
  readonly layout: BitLayout;
  readonly timing: LeaseTiming;
  readonly workerCount: number;
  /** How many replicas must follow a master that grants. */
  readonly minReplicas: number;
}

/** What one simulated process is given. */
export interface SimulatedEnvironment<Content extends Database> extends Agreement {
  readonly name: string;
  readonly loop: EventLoop;
  readonly random: Random;
  /** 16 hex digits from the kernel, which no copy of the process's memory repeats. */
  nonce(): string;
  /** Sends a command to the store. Without a bound: whoever calls sets one. */
  call<Reply>(command: Command<Content, Reply>): Promise<Reply>;
  /** Sends a request to a service, which calls the store by `callFrom`. Without a bound, too. */
  request(service: number, serve: Serve): Promise<ServiceReply>;
  callFrom<Reply>(caller: Caller, command: Command<Content, Reply>): Promise<Reply>;
  /** Says that promises may have been settled by code that runs outside of the event loop's deliveries. */
  touchPromises(): void;
  trace(line: () => string): void;
}

/** A process's maker of IDs under some protocol. */
export interface Maker {
  /** How often a worker ID was taken over so far: IDs of one tenure must ascend. */
  readonly tenure: number;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Synchronous. @throws when no ID can be made now */
  issue(count: number): BigUint64Array;
}

/** A way to agree on worker IDs, to be tried in the simulated world. */
export interface Protocol<Content extends Database = Database> {
  readonly name: string;
  /** What the store holds before the first process starts. */
  content(agreement: Agreement): Content;
  maker(environment: SimulatedEnvironment<Content>): Maker;
}
