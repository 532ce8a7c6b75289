import { LayoutMismatchError, StoreCorruptError, StoreUnavailableError } from 'nestjs-snowflake/standalone';
import type { KeeperSettings } from 'nestjs-snowflake/kit';
import type { LeaseReply, LeaseRequest, LeaseStore } from 'nestjs-snowflake/standalone';

/** What {@link initializeNamespace} did. */
export type Initialization = 'initialized' | 'already there';

/**
 * Makes an empty namespace known to its store: takes a lease with `assumeNew`, and gives it back. So the store has a history that
 * forgets nothing, and the first process needs no wait. No worker ID stays held.
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
  if (layout !== undefined || rows.length > 0) return 'already there';
  const reply = await store.lease(requestOf(settings, nonce));
  if (reply.outcome !== 'new') return withoutGrant(store, settings, reply);
  const { workerId, fencingToken, fromMs, storeNowMs } = reply;
  await store.release({ workerId, fencingToken, lastUsedMs: fromMs });
  // A history that begins now starts one millisecond ago. Otherwise another process was faster: if by less than a
  // millisecond, it has the first worker ID.
  const isFirst = workerId === settings.firstWorkerId && fromMs === storeNowMs - 1;
  return isFirst ? 'initialized' : 'already there';
}

function requestOf(settings: KeeperSettings, nonce: string): LeaseRequest {
  return {
    layout: settings.fingerprint,
    firstWorkerId: settings.firstWorkerId,
    workerCount: settings.workerCount,
    windowMs: settings.windowMs,
    maxSkewMs: settings.maxSkewMs,
    nonce,
    retry: false,
    assumeNew: true,
    searchSeed: 0,
  };
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
        `${description}: replicas that follow the master: ${reply.replicas}, fewer than minReplicas. Nothing was changed.`,
      );
    default:
      return 'already there';
  }
}
