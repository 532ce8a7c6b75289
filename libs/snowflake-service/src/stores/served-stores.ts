import { type CallDeadline, StoreUnavailableError } from 'nestjs-snowflake/store';
import { systemClock } from 'nestjs-snowflake/core';
import { GRACE_MS, settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import {
  asSnowflakeError,
  type CalledStore,
  closeStore,
  occupyStore,
  type OwnedStore,
  StoreCaller,
} from 'nestjs-snowflake/internal/lease/store-caller';
import { unknownName } from '../requests/request-refusal.js';

interface Served<Store> {
  readonly store: Store;
  readonly caller: StoreCaller;
}

/** Stores to which the service passes calls on, by the names of their namespaces. */
export class ServedStores<Store extends OwnedStore & CalledStore> {
  private readonly served: ReadonlyMap<string, Served<Store>>;
  private readonly occupied: Store[] = [];

  constructor(
    stores: ReadonlyMap<string, Store>,
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
      occupyStore(store);
      this.occupied.push(store);
      await store.open?.({ callTimeoutMs: this.callTimeoutMs, warn: this.warn });
    }
  }

  /** Closes the stores. Bounded; never rejects. */
  async stop(): Promise<void> {
    const stores = this.occupied.splice(0);
    await Promise.all(
      stores.map((store) =>
        closeStore(store, systemClock, (problem) => this.warn(`${store.description} ${problem}`)),
      ),
    );
  }

  /** @param timeoutMs how long the client waits */
  protected call<Reply>(
    name: string,
    timeoutMs: number,
    operation: (store: Store, deadline: CallDeadline) => Promise<Reply>,
  ): Promise<Reply> {
    const { store, caller } = this.find(name);
    return caller.call((deadline) => operation(store, deadline), this.bounded(timeoutMs));
  }

  /** Bypasses the caller, which reconnects after calls without an answer: one client's short bound would end the calls of others. */
  protected async read<Reply>(
    name: string,
    timeoutMs: number,
    operation: (store: Store) => Promise<Reply>,
  ): Promise<Reply> {
    const { store } = this.find(name);
    const { description } = store;
    const boundMs = this.bounded(timeoutMs);
    const late = (): Error =>
      new StoreUnavailableError(`${description} did not answer within ${boundMs} ms.`);
    try {
      return await settledWithin(systemClock, boundMs + GRACE_MS, operation(store), late);
    } catch (error) {
      throw asSnowflakeError(error, description);
    }
  }

  private bounded(timeoutMs: number): number {
    return Math.min(timeoutMs, this.callTimeoutMs);
  }

  /** @throws RequestRefusal */
  private find(name: string): Served<Store> {
    const served = this.served.get(name);
    if (!served) throw unknownName('namespace');
    return served;
  }
}
