import type { Cluster, Redis } from 'ioredis';
import { InvalidOptionError, systemClock } from 'nestjs-snowflake/core';
import { settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import { requireRedisUrl } from 'nestjs-snowflake/internal/stores/redis/redis-url';
import type { RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import { MissingPackageError, withPackage } from '../../frame/optional-package.js';
import { withNote } from '../../frame/slow-note.js';
import { connectingTo, type StorePurpose } from './make-store.js';
import type { StoreFlags } from './store-flags.js';

const REGISTRIES = 'snowflake:{*}';
const REGISTRY = /^snowflake:\{([\w.:-]{1,128})\}$/;
const KEYS_AT_ONCE = '1000';

/**
 * Returns the flags with the namespace of a Redis that has exactly one, if they name none.
 *
 * @throws InvalidOptionError with their names if Redis has several namespaces
 */
export async function withOnlyNamespace(flags: StoreFlags, purpose: StorePurpose): Promise<StoreFlags> {
  const { redis, namespace, database, options } = flags;
  if (redis === undefined || [namespace, database, options].some((flag) => flag !== undefined)) return flags;
  requireRedisUrl(redis, '--redis');
  const found = namespacesInRedis({ url: redis, namespace: purpose.command }, purpose);
  const { terminal, timeoutMs } = purpose;
  const searched = withNote(terminal, connectingTo({ kind: 'redis' }), found, timeoutMs);
  const [only, ...others] = await searched.catch((error: unknown) => {
    if (error instanceof MissingPackageError || error instanceof InvalidOptionError) throw error;
    // The search is a convenience. If Redis refuses it or takes too long, the error names the missing flag instead.
    return [];
  });
  if (others.length === 0) return { ...flags, namespace: only };
  const names = [only, ...others].join(', ');
  throw new InvalidOptionError('--namespace', undefined, 'is missing', `Choose one of: ${names}.`);
}

/**
 * Returns the namespaces of a Redis, sorted.
 *
 * @throws the error of Redis, e.g. if the user may not run SCAN, or an error if the search takes too long
 */
export async function namespacesInRedis(
  options: RedisLeaseStoreOptions,
  purpose: StorePurpose,
): Promise<readonly string[]> {
  const { command, packages, timeoutMs } = purpose;
  const { connectionProfile } = await withPackage(
    'ioredis',
    command,
    () => import('nestjs-snowflake/internal/stores/redis/connection-profile'),
    packages,
  );
  const client = connectionProfile(options).connect(timeoutMs);
  // Without a listener, ioredis prints errors that the search reports anyway.
  client.on('error', () => undefined);
  try {
    const late = (): Error => new Error(`Redis did not answer within ${timeoutMs} ms.`);
    return await settledWithin(systemClock, timeoutMs, scannedAll(client), late);
  } finally {
    client.disconnect();
  }
}

async function scannedAll(client: Redis | Cluster): Promise<readonly string[]> {
  if (!('nodes' in client)) return [...(await scanned(client))].sort();
  await client.connect();
  const found = await Promise.all(client.nodes('master').map(scanned));
  return [...new Set(found.flatMap((names) => [...names]))].sort();
}

async function scanned(client: Redis): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const reply = await client.call('SCAN', cursor, 'MATCH', REGISTRIES, 'COUNT', KEYS_AT_ONCE);
    const [next, keys] = reply as [string, string[]];
    for (const key of keys) found.add(REGISTRY.exec(key)?.[1] ?? '');
    cursor = next;
  } while (cursor !== '0');
  found.delete('');
  return found;
}
