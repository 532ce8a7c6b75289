import type {
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
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

  inspect(name: string, timeoutMs: number): Promise<RegistrySnapshot> {
    return this.read(name, timeoutMs, (store) => store.inspect());
  }
}
