import { InvalidOptionError } from 'nestjs-snowflake/core';
import { requireObject } from 'nestjs-snowflake/internal/core/options/option-checks';
import { checkedBy } from 'nestjs-snowflake/internal/core/options/option-rule';
import { LocalWindowStore } from 'nestjs-snowflake/internal/stores/local-window/local-window-store';
import { NAMESPACE_IN_PATH } from 'nestjs-snowflake/internal/stores/namespace';
import { showsOptions, STORE_OPTIONS } from 'nestjs-snowflake/internal/stores/store-options';
import type { LeaseStore } from 'nestjs-snowflake/store';
import type { SegmentStore } from 'nestjs-snowflake-segments/store';

const LEASE_REMEDY = 'Pass what redisLeaseStore() or sqlLeaseStore() returns.';
const SEGMENT_REMEDY = 'Pass what sqlSegmentStore({ url }) returns.';

/** Stores of leases, by the namespaces that clients name. */
export const LEASE_STORES = storesCheckedBy(
  "Pass e.g. { shop: redisLeaseStore({ url, namespace: 'shop' }) }.",
  checkedLeaseStore,
);

/** Stores of segments, by the namespaces that clients name. */
export const SEGMENT_STORES = storesCheckedBy(
  'Pass e.g. { shop: sqlSegmentStore({ url }) }.',
  checkedSegmentStore,
);

function storesCheckedBy<Store>(remedy: string, check: (option: string, store: Store) => Store) {
  return checkedBy((group, given: unknown = {}): ReadonlyMap<string, Store> => {
    const stores = Object.entries(requireObject(group, given as Readonly<Record<string, Store>>, remedy));
    return new Map(
      stores.map(([name, store]) => [
        NAMESPACE_IN_PATH.check(`a name in ${group}`, name),
        check(`${group}.${name}`, store),
      ]),
    );
  });
}

function checkedLeaseStore(option: string, store: LeaseStore): LeaseStore {
  const { lease, renewable } = Object(store) as Partial<LeaseStore>;
  if (typeof lease !== 'function')
    throw new InvalidOptionError(option, store, 'is not a lease store', LEASE_REMEDY);
  if (store instanceof LocalWindowStore) {
    const problem = 'keeps the window of one process in a file';
    const remedy = 'Wrap the store of the client instead: withLocalWindow(remoteLeaseStore(…)).';
    throw new InvalidOptionError(option, store, problem, remedy);
  }
  if (isInMemory(store)) {
    const problem =
      'is a store in memory, so a service that restarts would grant worker IDs that its clients still use';
    throw new InvalidOptionError(option, store, problem, LEASE_REMEDY);
  }
  if (renewable === true) return store;
  const problem = 'has a fixed worker ID, which only one process can use';
  throw new InvalidOptionError(option, store, problem, LEASE_REMEDY);
}

function checkedSegmentStore(option: string, store: SegmentStore): SegmentStore {
  const { claim, stride, returnLost } = Object(store) as Partial<SegmentStore>;
  if (typeof claim !== 'function')
    throw new InvalidOptionError(option, store, 'is not a segment store', SEGMENT_REMEDY);
  if (isInMemory(store)) {
    const problem = 'is a store in memory, so a service that restarts would grant the same numbers again';
    throw new InvalidOptionError(option, store, problem, SEGMENT_REMEDY);
  }
  if (stride === 1 && returnLost === undefined) return store;
  // Such a store repeats a claim whose caller has numbers from another database. Through a second service, that caller could have
  // been granted the numbers of the repeated claim.
  const problem =
    'spreads claims over several databases, which only the process that uses the numbers can do';
  const remedy = `${SEGMENT_REMEDY} Processes that reach the databases can use several of them.`;
  throw new InvalidOptionError(option, store.description, problem, remedy);
}

function isInMemory(store: object): boolean {
  return showsOptions(store) && store[STORE_OPTIONS]().kind === 'memory';
}
