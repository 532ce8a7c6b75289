import { Redis } from 'ioredis';
import type { LeaseStore } from 'nestjs-snowflake';
import {
  type LeaseReply,
  type LeaseRequest,
  type ReleaseReply,
  MemoryRegistry,
} from 'nestjs-snowflake/store';

/**
 * For controls: the rules of the protocol to the letter, but as three commands in a row (read, decide, write) instead
 * of one script.
 */
export function storeWithoutAtomicity(redis: Redis, key: string): LeaseStore {
  return {
    description: 'redis without scripts',
    renewable: true,
    async lease(request: LeaseRequest): Promise<LeaseReply> {
      const registry = new MemoryRegistry();
      for (const [field, value] of Object.entries(await redis.hgetall(key)))
        registry.fields.set(field, value);
      const reply = registry.lease(request, { nowMs: Date.now(), historyId: 'the only one' });
      await redis.hset(key, registry.fields);
      return reply;
    },
    release: async (): Promise<ReleaseReply> => ({ outcome: 'gone' }),
    inspect: async () => ({ storeNowMs: Date.now(), rows: [] }),
    close: async () => undefined,
  };
}
