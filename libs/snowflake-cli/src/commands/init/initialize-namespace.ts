import {
  LayoutMismatchError,
  type LeaseStore,
  StoreCorruptError,
  StoreUnavailableError,
} from 'nestjs-snowflake/standalone';
import type { LeaseReply } from 'nestjs-snowflake/store';
import { type KeeperSettings, sharedRequest } from 'nestjs-snowflake/internal/lease/lease-options';

/** The result of {@link initializeNamespace}. */
export type Initialization = 'initialized' | 'already in use';

/**
 * Declares an empty namespace as new: acquires a lease with `assumeNew` and releases it. The store then knows its history from the
 * beginning, so the first process doesn't wait. No worker ID stays held.
 *
 * @param store an open store
 * @throws LayoutMismatchError if the namespace belongs to another layout; StoreCorruptError if a field is unreadable
 * @throws SnowflakeError if the store does not answer or refuses
 */
export async function initializeNamespace(
  store: LeaseStore,
  settings: KeeperSettings,
  nonce: string,
): Promise<Initialization> {
  const { layout, rows, unreadable: [broken] = [] } = await store.inspect();
  if (broken) throw new StoreCorruptError(store.description, broken.field, broken.stored);
  if (layout !== undefined && layout !== settings.fingerprint)
    throw new LayoutMismatchError(store.description, settings.fingerprint, layout);
  if (layout !== undefined || rows.length > 0) return 'already in use';
  const reply = await store.lease({
    ...sharedRequest(settings),
    nonce,
    retry: false,
    assumeNew: true,
    searchSeed: 0,
  });
  if (reply.outcome !== 'new') return withoutGrant(store, settings, reply);
  const { workerId, fencingToken, fromMs, storeNowMs } = reply;
  await store.release({ workerId, fencingToken, lastUsedMs: fromMs });
  // A history that began with this call starts one millisecond ago. Any other start means that another process was faster.
  // If it was faster by less than a millisecond, it holds the first worker ID.
  const isFirst = workerId === settings.firstWorkerId && fromMs === storeNowMs - 1;
  return isFirst ? 'initialized' : 'already in use';
}

function withoutGrant(
  { description }: LeaseStore,
  { fingerprint }: KeeperSettings,
  reply: Exclude<LeaseReply, { outcome: 'new' }>,
): Initialization {
  switch (reply.outcome) {
    case 'layout':
      throw new LayoutMismatchError(description, fingerprint, reply.storedLayout);
    case 'corrupt':
      throw new StoreCorruptError(description, reply.field, reply.stored);
    case 'alone':
      throw new StoreUnavailableError(
        `The replicas that follow the master of ${description} are fewer than minReplicas: ${reply.replicas}. Nothing was changed.`,
      );
    default:
      return 'already in use';
  }
}
