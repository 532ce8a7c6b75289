import { Redis } from 'ioredis';
import type { LeaseStore } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import type { RegistryRow, RegistrySnapshot } from 'nestjs-snowflake/store';

const CALL_TIMEOUT_MS = 10_000;

/** Looks at the registry of a namespace from outside, as an operator does. */
export class Inspector {
  private readonly store: LeaseStore;

  constructor(
    private readonly url: string,
    namespace: string,
  ) {
    this.store = redisLeaseStore({ url, namespace });
    void this.store.open?.({ callTimeoutMs: CALL_TIMEOUT_MS });
  }

  snapshot(): Promise<RegistrySnapshot> {
    return this.store.inspect();
  }

  async row(workerId: number): Promise<RegistryRow> {
    const { rows } = await this.snapshot();
    const row = rows.find((candidate) => candidate.workerId === workerId);
    if (!row) throw new Error(`The registry has no row of worker ID ${workerId}`);
    return row;
  }

  /** FLUSHALL: everything that the server holds is gone. */
  async wipe(): Promise<void> {
    const redis = new Redis(this.url, { commandTimeout: CALL_TIMEOUT_MS });
    try {
      await redis.flushall();
    } finally {
      redis.disconnect();
    }
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
