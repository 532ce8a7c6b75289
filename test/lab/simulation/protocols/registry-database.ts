import { MemoryRegistry } from '../../../../libs/snowflake/src/stores/memory/memory-registry.js';
import type { Database } from '../store-server.js';

/** The library's registry as something that a simulated server keeps. */
export class RegistryDatabase implements Database {
  readonly registry: MemoryRegistry;

  constructor(private readonly newRegistry: () => MemoryRegistry = () => new MemoryRegistry()) {
    this.registry = newRegistry();
  }

  copy(): RegistryDatabase {
    const copy = new RegistryDatabase(this.newRegistry);
    for (const [field, value] of this.registry.fields) copy.registry.fields.set(field, value);
    return copy;
  }

  wipe(): void {
    this.registry.wipe();
  }
}
