import { StoreUnavailableError } from '../../../libs/snowflake/src/core/errors/lease-errors.js';
import type {
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  ReleaseRequest,
} from '../../../libs/snowflake/src/lease/lease-store.js';
import { VirtualClock } from '../../../libs/snowflake/src/stores/port/virtual-clock.js';
import { memoryLeaseStore } from '../../../libs/snowflake/src/stores/memory/memory-lease-store.js';
import { MemoryRegistry } from '../../../libs/snowflake/src/stores/memory/memory-registry.js';

/** More than any holder sends in any test. */
const MANY_REQUESTS = 5000;

/**
 * What becomes of a call: it is answered; the connection is refused; the server executes it, and its reply is lost; it never arrives; or the
 * server refuses it with this error.
 */
export type StoreFault = 'none' | 'unreachable' | 'reply lost' | 'silent' | Error;

/** A store in memory as processes reach it over a network: it can be unreachable, silent, slow, or lose replies. */
export class UnreliableStore implements LeaseStore {
  readonly renewable = true;
  readonly registry = new MemoryRegistry();
  readonly requests: LeaseRequest[] = [];
  reconnects = 0;
  fault: StoreFault = 'none';
  /** What a reply waits for. */
  replyAfter: Promise<void> | undefined;
  /** Replies to a request in place of the registry. */
  answer: (request: LeaseRequest) => LeaseReply | undefined = () => undefined;
  private readonly inner: LeaseStore;

  /** @param clock the clock of the server */
  constructor(
    readonly clock = new VirtualClock(),
    namespace?: string,
  ) {
    this.inner = memoryLeaseStore({ registry: this.registry, clock, namespace });
  }

  get description(): string {
    return this.inner.description;
  }

  async lease(request: LeaseRequest): Promise<LeaseReply> {
    this.requests.push(request);
    // Ends a loop of requests that waits for nothing, so that its test fails.
    if (this.requests.length > MANY_REQUESTS) throw new StoreUnavailableError('gets requests without end');
    return this.carry(async () => this.answer(request) ?? this.inner.lease(request));
  }

  release(request: ReleaseRequest): ReturnType<LeaseStore['release']> {
    return this.carry(() => this.inner.release(request));
  }

  reconnect(): void {
    this.reconnects += 1;
  }

  inspect(): ReturnType<LeaseStore['inspect']> {
    return this.inner.inspect();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private async carry<Reply>(call: () => Promise<Reply>): Promise<Reply> {
    if (this.fault instanceof Error) throw this.fault;
    if (this.fault === 'unreachable') throw new StoreUnavailableError('connection refused');
    if (this.fault === 'silent') return new Promise<never>(() => undefined);
    const reply = await call();
    await this.replyAfter;
    if (this.fault === 'reply lost') return new Promise<never>(() => undefined);
    return reply;
  }
}
