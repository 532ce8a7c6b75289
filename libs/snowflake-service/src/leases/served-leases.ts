import {
  BackfillRefusedError,
  type BackfillReply,
  type BackfillRequest,
  type LeaseReply,
  type LeaseRequest,
  type LeaseStore,
  type RegistrySnapshot,
  type ReleaseReply,
  type ReleaseRequest,
} from 'nestjs-snowflake/store';
import { ServedStores } from '../stores/served-stores.js';

/** The stores whose leases the service passes on, by the names of their namespaces. */
export class ServedLeases extends ServedStores<LeaseStore> {
  /** @param timeoutMs how long the client waits */
  lease(name: string, request: LeaseRequest, timeoutMs: number): Promise<LeaseReply> {
    return this.call(name, timeoutMs, (store, deadline) => store.lease(request, deadline));
  }

  release(name: string, request: ReleaseRequest, timeoutMs: number): Promise<ReleaseReply> {
    return this.call(name, timeoutMs, (store, deadline) => store.release(request, deadline));
  }

  backfill(name: string, request: BackfillRequest, timeoutMs: number): Promise<BackfillReply> {
    return this.call(name, timeoutMs, async (store, deadline) => {
      if (store.backfill) return store.backfill(request, deadline);
      throw new BackfillRefusedError(store.description, 'unsupported');
    });
  }

  inspect(name: string, timeoutMs: number): Promise<RegistrySnapshot> {
    return this.read(name, timeoutMs, (store) => store.inspect());
  }
}
