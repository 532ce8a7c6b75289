import { type LeaseStore, SnowflakeIdMaker, type SnowflakeOptions } from 'nestjs-snowflake/standalone';

/**
 * Leases a worker ID, makes an ID with it and releases it. After such a process, a boot doesn't wait for leases that were lost.
 *
 * @returns the worker ID in the ID
 */
export async function leaseOnce(store: LeaseStore, options: Partial<SnowflakeOptions> = {}): Promise<number> {
  const ids = new SnowflakeIdMaker({ lease: { possibleLoss: 'ignore' }, ...options, store });
  await ids.start();
  try {
    return ids.decode(ids.nextId()).workerId;
  } finally {
    await ids.stop();
  }
}
