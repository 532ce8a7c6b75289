import type { LeaseReply, LeaseRequest } from '../../../libs/snowflake/src/lease/lease-store.js';
import { FieldsRegistry } from '../../../libs/snowflake/src/stores/memory/fields-registry.js';
import { MemoryRegistry } from '../../../libs/snowflake/src/stores/memory/memory-registry.js';
import {
  LEASE_MECHANISMS,
  type LeaseMechanisms,
} from '../../../libs/snowflake/src/stores/protocol/lease-mechanisms.js';
import type { ServerState } from '../../../libs/snowflake/src/stores/protocol/lease-registry.js';
import { leaseTransaction } from '../../../libs/snowflake/src/stores/protocol/lease-transaction.js';
import { executeNow } from '../../../libs/snowflake/src/stores/protocol/registry-calls.js';

/** Returns what makes registries in memory whose protocol has other mechanisms, for controls. */
export function registryWith(broken: Partial<LeaseMechanisms>): () => MemoryRegistry {
  const mechanisms = { ...LEASE_MECHANISMS, ...broken };
  class BrokenRegistry extends MemoryRegistry {
    override lease(request: LeaseRequest, server: ServerState): LeaseReply {
      return executeNow(leaseTransaction(request, mechanisms), new FieldsRegistry(this.fields, server));
    }
  }
  return () => new BrokenRegistry();
}
