import { StoreUnavailableError } from 'nestjs-snowflake/store';
import { systemClock } from 'nestjs-snowflake/core';
import { Turns } from 'nestjs-snowflake/internal/kit/turns';
import { STORE_OPTIONS } from 'nestjs-snowflake/internal/stores/store-options';
import { RegistrySegmentStore, type SegmentTransactions } from '../protocol/registry-segment-store.js';
import type { SegmentRegistry } from '../protocol/segment-registry.js';
import type { SegmentStore } from '../store/segment-store.js';
import { MemorySegmentData, MemorySegmentRegistry } from './memory-segment-registry.js';

/** Runs one transaction at a time, and undoes a failed transaction. */
class MemoryTransactions implements SegmentTransactions {
  private readonly data = new MemorySegmentData();
  private readonly turns = new Turns(systemClock);
  private isClosed = false;

  open(): void {
    this.isClosed = false;
  }

  transact<Reply>(work: (registry: SegmentRegistry) => Promise<Reply>): Promise<Reply> {
    return this.turns.inTurn(() => this.attempt(work));
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  private async attempt<Reply>(work: (registry: SegmentRegistry) => Promise<Reply>): Promise<Reply> {
    if (this.isClosed)
      throw new StoreUnavailableError(
        'The memory store is closed. Calls after stop() or close() need another store.',
      );
    const before = this.data.copy();
    try {
      return await work(new MemorySegmentRegistry(this.data));
    } catch (error) {
      this.data.replaceBy(before);
      throw error;
    }
  }
}

class MemorySegmentStore extends RegistrySegmentStore {
  constructor() {
    super('memory', { stride: 1, remainder: 0 }, new MemoryTransactions());
  }

  [STORE_OPTIONS]() {
    return { kind: 'memory', options: {} } as const;
  }
}

/**
 * Keeps tags and counters in memory, for tests. Its counters end with the process, so numbers repeat after a restart: never
 * use it for numbers that are stored.
 */
export function memorySegmentStore(): SegmentStore {
  return new MemorySegmentStore();
}
