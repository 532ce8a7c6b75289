import { setTimeout as delay } from 'node:timers/promises';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { type LeaseRequest, type LeaseStore, leaseStoreContract } from 'nestjs-snowflake/store';
import { IMPORT_NONCE } from '../../snowflake/src/lease/fencing-token.js';
import { concurrentCases } from '../../../test/support/concurrent-cases.js';
import { databaseFor } from '../../../test/support/servers/index.js';
import { waitFor } from '../../../test/support/wait.js';
import { CALL_MS, LEASE, PAST, storeOfTests } from './service-app.js';

/** A service that passes calls on to one store, and clients of it. Their calls may take `CALL_MS`. */
export interface ServedStore {
  client(): LeaseStore;
  /**
   * Returns a client behind something that answers each call with the first response that it has got.
   *
   * @param renames whether it gives the response the name of the present call, which nothing real does
   */
  repeatingClient(renames: boolean): Promise<LeaseStore>;
  /** Ends the clients, too. */
  stop(): Promise<void>;
}

/** The request of one of several holders. */
export const requestOf = (holder: string): LeaseRequest => ({
  ...LEASE,
  nonce: `0123456789abcdef:${holder}`,
});

/**
 * What holds of leases through a service, however its clients reach it.
 *
 * @param network names that in titles
 * @param others makes stores behind the service, beside those in PostgreSQL
 */
export function leasesContract(
  network: string,
  serve: (store: LeaseStore) => Promise<ServedStore>,
  others: Readonly<Record<string, () => LeaseStore>>,
): void {
  const cases = concurrentCases(8);
  let postgresUrl: string;
  let namespaces = 0;
  beforeAll(async () => {
    postgresUrl = await databaseFor('postgres', `leases over ${network}`);
  });
  const stores = {
    PostgreSQL: () =>
      sqlLeaseStore({ url: postgresUrl, namespace: `contract-${(namespaces += 1)}`, createTable: true }),
    ...others,
  };

  for (const [name, makeStore] of Object.entries(stores)) {
    describe(`a lease store over ${network} and ${name} [promise: unique]`, () => {
      leaseStoreContract(async () => {
        const service = await serve(makeStore());
        return { store: service.client(), letPass: (ms) => delay(ms), dispose: () => service.stop() };
      }, cases);
    });
  }

  describe(`leases over ${network} [promise: unique]`, () => {
    let service: ServedStore;
    beforeEach(async () => {
      service = await serve(storeOfTests());
    });
    afterEach(() => service.stop());

    it('give each ID maker a worker ID of its own, and get it back when it stops', async () => {
      // Without a clock correction or a wait for what may be lost.
      const lease = { possibleLoss: 'ignore' } as const;
      const makers = [1, 2].map(() => new SnowflakeIdMaker({ store: service.client(), lease }));
      await Promise.all(makers.map((maker) => maker.start()));
      const ids = makers.flatMap((maker) => maker.nextIds(10_000));
      expect(new Set(ids).size).toBe(20_000);
      const reader = service.client();
      const held = async (): Promise<number> =>
        (await reader.inspect()).rows.filter(({ fencingToken }) => fencingToken !== '').length;
      expect(await held()).toBe(2);
      await Promise.all(makers.map((maker) => maker.stop()));
      await waitFor('the worker IDs to be released', CALL_MS, async () => (await held()) === 0);
    });

    it('are not equal to those of imports, which claim the past through the service as in the store itself', async () => {
      const store = storeOfTests();
      const passing = await serve(store);
      const lease = { possibleLoss: 'ignore' } as const;
      const makers = [1, 2].map(() => new SnowflakeIdMaker({ store: passing.client(), lease }));
      try {
        await Promise.all(makers.map((maker) => maker.start()));
        const instants = Array.from({ length: 1000 }, (_, row) => Date.UTC(2025, 0, 1) + row * 10);
        const imports = makers.map((maker) => maker.backfill(instants, lease));
        const ids = [
          ...(await Promise.all(imports)).flat(),
          ...makers.flatMap((maker) => maker.nextIds(1000)),
        ];
        expect(new Set(ids).size).toBe(4000);
        const { rows } = await store.inspect();
        expect(rows.filter(({ fencingToken }) => fencingToken.startsWith(IMPORT_NONCE))).toHaveLength(2);
      } finally {
        await Promise.all(makers.map((maker) => maker.stop()));
        await passing.stop();
      }
    });

    it('refuse a response to another call, such as a repeated grant', async () => {
      const store = await service.repeatingClient(false);
      await expect(store.lease(requestOf('one'))).resolves.toMatchObject({ outcome: 'new' });
      await expect(store.lease(requestOf('two'))).rejects.toMatchObject({
        code: 'SNOWFLAKE_STORE_UNAVAILABLE',
      });
    });

    it('give two processes one worker ID when a repeated response has the name of their call (control)', async () => {
      const store = await service.repeatingClient(true);
      const grants = [await store.lease(requestOf('one')), await store.lease(requestOf('two'))];
      expect(grants[0]).toEqual(grants[1]);
    });

    it('refuse a response to another claim of the past, which two imports would use', async () => {
      await service.client().lease(requestOf('one'));
      const store = await service.repeatingClient(false);
      await expect(store.backfill?.(PAST)).resolves.toMatchObject({ outcome: 'claimed' });
      await expect(store.backfill?.(PAST)).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_UNAVAILABLE' });
    });

    it('give two imports one claim of the past when a repeated response has the name of their call (control)', async () => {
      await service.client().lease(requestOf('one'));
      const store = await service.repeatingClient(true);
      const claims = [await store.backfill?.(PAST), await store.backfill?.(PAST)];
      expect(claims[0]).toEqual(claims[1]);
    });

    it('may have windows of several lengths, of which the longest counts, as in the store itself', async () => {
      for (const store of [storeOfTests(), service.client()]) {
        for (const [holder, windowMs] of Object.entries({ one: 20_000, two: 90_000, three: 60_000 })) {
          const reply = await store.lease({ ...requestOf(holder), windowMs });
          expect(reply).toMatchObject({ outcome: 'new' });
          if (reply.outcome === 'new') expect(reply.untilMs - reply.storeNowMs).toBe(windowMs);
        }
        await expect(store.inspect()).resolves.toMatchObject({ longestWindowMs: 90_000 });
      }
    });

    it.each([{ waiting: 12, longestWaitMs: 8400 }, { waiting: 0 }])(
      'show what the store shows of processes that wait for a worker ID: %j',
      async (crowd) => {
        const store = storeOfTests();
        const read = store.inspect.bind(store);
        const crowded = await serve(
          Object.assign(store, { inspect: async () => ({ ...(await read()), ...crowd }) }),
        );
        try {
          const { waiting, longestWaitMs } = await crowded.client().inspect();
          expect({ waiting, longestWaitMs }).toEqual({ longestWaitMs: undefined, ...crowd });
        } finally {
          await crowded.stop();
        }
      },
    );

    it('keep what the store replies to a layout that does not fit', async () => {
      const store = service.client();
      await store.lease(requestOf('one'));
      await expect(store.lease({ ...requestOf('two'), layout: 'another layout' })).resolves.toEqual({
        outcome: 'layout',
        storedLayout: 'layout',
      });
    });
  });
}
