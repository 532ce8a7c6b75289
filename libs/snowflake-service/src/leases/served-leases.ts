import {
  type LeaseReply,
  type LeaseRequest,
  type LeaseStore,
  type RegistrySnapshot,
  type ReleaseReply,
  type ReleaseRequest,
  StoreUnavailableError,
} from 'nestjs-snowflake/store';
import { systemClock } from 'nestjs-snowflake/core';
import {
  asSnowflakeError,
  closeStore,
  GRACE_MS,
  settledWithin,
  StoreCaller,
  takeStore,
} from 'nestjs-snowflake/kit';
import { unknownName } from '../requests/request-refusal.js';

interface Served {
  readonly store: LeaseStore;
  readonly caller: StoreCaller;
}

/** The stores whose leases the service passes on, by the names of their namespaces. */
export class ServedLeases {
  private readonly served: ReadonlyMap<string, Served>;
  private readonly taken: LeaseStore[] = [];

  constructor(
    stores: ReadonlyMap<string, LeaseStore>,
    private readonly callTimeoutMs: number,
    private readonly warn: (message: string) => void,
  ) {
    const entries = [...stores].map(
      ([name, store]) => [name, { store, caller: new StoreCaller(store, systemClock) }] as const,
    );
    this.served = new Map(entries);
  }

  /** Opens the stores, which doesn't wait for their servers. @throws InvalidOptionError if something else uses a store */
  async start(): Promise<void> {
    for (const { store } of this.served.values()) {
      takeStore(store);
      this.taken.push(store);
      await store.open?.({ callTimeoutMs: this.callTimeoutMs, warn: this.warn });
    }
  }

  /** @param timeoutMs how long the client waits */
  lease(name: string, request: LeaseRequest, timeoutMs: number): Promise<LeaseReply> {
    const { store, caller } = this.find(name);
    return caller.call((deadline) => store.lease(request, deadline), this.bounded(timeoutMs));
  }

  release(name: string, request: ReleaseRequest, timeoutMs: number): Promise<ReleaseReply> {
    const { store, caller } = this.find(name);
    return caller.call((deadline) => store.release(request, deadline), this.bounded(timeoutMs));
  }

  /** Not by the caller, which reconnects after calls without an answer: one client's short bound would end the calls of others. */
  async inspect(name: string, timeoutMs: number): Promise<RegistrySnapshot> {
    const { store } = this.find(name);
    const { description } = store;
    const boundMs = this.bounded(timeoutMs);
    const late = (): Error =>
      new StoreUnavailableError(`${description} did not answer within ${boundMs} ms.`);
    try {
      return await settledWithin(systemClock, boundMs + GRACE_MS, store.inspect(), late);
    } catch (error) {
      throw asSnowflakeError(error, description);
    }
  }

  /** Closes the stores. Bounded; never rejects. */
  async stop(): Promise<void> {
    const stores = this.taken.splice(0);
    await Promise.all(
      stores.map((store) =>
        closeStore(store, systemClock, (problem) => this.warn(`${store.description} ${problem}`)),
      ),
    );
  }

  private bounded(timeoutMs: number): number {
    return Math.min(timeoutMs, this.callTimeoutMs);
  }

  /** @throws RequestRefusal */
  private find(name: string): Served {
    const served = this.served.get(name);
    if (!served) throw unknownName('namespace');
    return served;
  }
}
