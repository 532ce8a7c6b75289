import { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import type { LeaseRequest } from '../../lease/lease-store.js';
import { memoryLeaseStore, type MemoryLeaseStoreOptions } from './memory-lease-store.js';
import { MemoryRegistry } from './memory-registry.js';

const clock = { now: () => Date.UTC(2026, 0, 1) };
const request: LeaseRequest = {
  layout: 'l',
  firstWorkerId: 0,
  workerCount: 4,
  windowMs: 60_000,
  maxSkewMs: 5_000,
  nonce: 'nonce',
  retry: false,
  assumeNew: false,
  searchSeed: 0,
};

describe('memoryLeaseStore', () => {
  it('needs no wait when the registry is its own', async () => {
    expect(await memoryLeaseStore().lease(request)).toMatchObject({ outcome: 'new' });
  });

  it('grants worker IDs from the number of the test worker on, and around the range', async () => {
    const store = memoryLeaseStore({ clock });
    const first = Number(process.env['JEST_WORKER_ID']) % request.workerCount;
    const replies = [];
    for (const nonce of ['a', 'b', 'c', 'd']) replies.push(await store.lease({ ...request, nonce }));
    expect(replies.map((reply) => reply.outcome === 'new' && reply.workerId)).toEqual(
      [0, 1, 2, 3].map((offset) => (first + offset) % 4),
    );
    expect((await store.inspect()).rows.map(({ workerId }) => workerId)).toEqual([0, 1, 2, 3]);
  });

  it('renews and releases the worker IDs that it has granted', async () => {
    const store = memoryLeaseStore({ clock });
    const firsts = { ...request, firstWorkerId: 5, workerCount: 3 };
    const granted = await store.lease(firsts);
    if (granted.outcome !== 'new') throw new Error(granted.outcome);
    expect(granted.workerId).toBeGreaterThanOrEqual(5);
    expect(granted.workerId).toBeLessThan(8);
    const renewed = await store.lease({ ...firsts, nonce: 'later', claim: granted });
    if (renewed.outcome !== 'kept') throw new Error(renewed.outcome);
    const { workerId, fromMs: lastUsedMs } = granted;
    const { fencingToken } = renewed;
    await expect(store.release({ workerId, fencingToken, lastUsedMs })).resolves.toMatchObject({
      outcome: 'released',
    });
  });

  describe('outside of a test run', () => {
    const runner = process.env['JEST_WORKER_ID'];
    const warnings: string[] = [];
    const settings = { callTimeoutMs: 1000, warn: (text: string) => warnings.push(text) };
    beforeEach(() => {
      delete process.env['JEST_WORKER_ID'];
      warnings.length = 0;
    });
    afterEach(() => {
      process.env['JEST_WORKER_ID'] = runner;
      delete process.env['NODE_ENV'];
    });

    it('draws one place for all stores of the process', async () => {
      const all = { ...request, workerCount: 1024 };
      const replies = await Promise.all([1, 2].map(() => memoryLeaseStore().lease(all)));
      expect(replies[0]).toMatchObject({ outcome: 'new' });
      expect(replies[1]).toMatchObject({ workerId: replies[0]!.outcome === 'new' && replies[0]!.workerId });
    });

    it('warns that it is for one process', async () => {
      await memoryLeaseStore().open?.(settings);
      expect(warnings).toHaveLength(1);
    });

    it('refuses production, unless no other process generates IDs', async () => {
      process.env['NODE_ENV'] = 'production';
      expect(() => memoryLeaseStore().open?.(settings)).toThrow(
        expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'store' }),
      );
      await memoryLeaseStore({ onlyProcess: true }).open?.(settings);
      expect(warnings).toEqual([]);
    });
  });

  it('waits with a registry that it was given, which may have forgotten something', async () => {
    const store = memoryLeaseStore({ registry: new MemoryRegistry(), clock });
    expect(await store.lease(request)).toMatchObject({ outcome: 'wait', waitMs: 65_000, reason: 'empty' });
  });

  it.each([
    ['memoryLeaseStore', null],
    ['memoryLeaseStore', 'shop'],
    ['memoryLeaseStore.nameSpace', { nameSpace: 'shop' }],
    ['memoryLeaseStore.registry', { registry: {} }],
    ['memoryLeaseStore.registry', { registry: null }],
    ['memoryLeaseStore.registry', { registry: new Map() }],
  ])('refuses a wrong %s: %o', (option, options) => {
    expect(() => memoryLeaseStore(options as MemoryLeaseStoreOptions)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
    );
  });

  it('shares worker IDs with other stores on its registry', async () => {
    const registry = new MemoryRegistry();
    const stores = [1, 2].map(() => memoryLeaseStore({ registry, clock }));
    const trusting = { ...request, assumeNew: true };
    const replies = await Promise.all(stores.map((store) => store.lease(trusting)));
    expect(replies).toMatchObject([{ workerId: 0 }, { workerId: 1 }]);
  });

  it('serves several ID makers of the process at once', async () => {
    const store = memoryLeaseStore();
    const makers = [1, 2].map(() => new SnowflakeIdMaker({ store }));
    await Promise.all(makers.map((maker) => maker.start()));
    expect(new Set(makers.map((maker) => maker.status().workerId)).size).toBe(2);
    await Promise.all(makers.map((maker) => maker.stop()));
  });

  it('forgets everything when its registry is wiped', async () => {
    const registry = new MemoryRegistry();
    const store = memoryLeaseStore({ registry, clock });
    await store.lease({ ...request, assumeNew: true });
    registry.wipe();
    expect(await store.inspect()).toEqual({ storeNowMs: clock.now(), rows: [] });
  });

  it('reports what it cannot read, and does not change it', async () => {
    const registry = new MemoryRegistry();
    const store = memoryLeaseStore({ registry, clock, namespace: 'shop' });
    await store.lease({ ...request, assumeNew: true });
    registry.fields.set('0', 'hello');
    const before = new Map(registry.fields);
    const corrupt = { code: 'SNOWFLAKE_STORE_CORRUPT', namespace: 'memory namespace "shop"', field: '0' };
    expect(await store.inspect()).toMatchObject({ rows: [], unreadable: [{ field: '0', stored: 'hello' }] });
    await expect(store.release({ workerId: 0, fencingToken: 'x', lastUsedMs: 1 })).rejects.toMatchObject(
      corrupt,
    );
    const claim = { workerId: 0, fencingToken: 'x', untilMs: clock.now() };
    const reply = await store.lease({ ...request, claim });
    expect(reply).toEqual({ outcome: 'corrupt', field: '0', stored: 'hello' });
    expect(registry.fields).toEqual(before);
  });

  it('rejects, rather than throws, if a registry could not hold the request', async () => {
    const store = memoryLeaseStore();
    await expect(store.lease({ ...request, windowMs: 0.5 })).rejects.toMatchObject({ option: 'windowMs' });
    const release = { workerId: 0, fencingToken: 'x', lastUsedMs: -1 };
    await expect(store.release(release)).rejects.toMatchObject({ option: 'lastUsedMs' });
  });
});
