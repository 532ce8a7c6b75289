import type { LeaseEvent } from '../../lease/lease-event.js';
import type { LeaseRequest } from '../../lease/lease-store.js';
import { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import { fixedStoreContract } from '../../store-testing/fixed-store-contract.js';
import { environmentLeaseStore, type EnvironmentLeaseStoreOptions } from './fixed-worker-ids.js';

const START_MS = Date.UTC(2026, 0, 1);
const REQUEST: LeaseRequest = {
  layout: 'l',
  firstWorkerId: 0,
  workerCount: 1024,
  windowMs: 60_000,
  maxSkewMs: 5_000,
  nonce: 'nonce',
  retry: false,
  assumeNew: false,
  searchSeed: 0,
};

describe('the fixed store contract, on a worker ID from the environment', () => {
  const contract = async () => {
    let nowMs = START_MS;
    const store = environmentLeaseStore({ env: { SNOWFLAKE_WORKER_ID: '17' }, clock: { now: () => nowMs } });
    const letPass = async (ms: number) => void (nowMs += ms);
    return { store, workerId: 17, letPass, dispose: () => store.close() };
  };
  fixedStoreContract(contract, { describe, it });
});

describe('environmentLeaseStore', () => {
  it('reads SNOWFLAKE_WORKER_ID of the process when it is made', async () => {
    process.env.SNOWFLAKE_WORKER_ID = '40';
    try {
      expect(await environmentLeaseStore().lease(REQUEST)).toMatchObject({ outcome: 'new', workerId: 40 });
    } finally {
      delete process.env.SNOWFLAKE_WORKER_ID;
    }
  });

  it.each(['0', '7', '1023'])('takes %j from a variable of another name', async (value) => {
    const store = environmentLeaseStore({ variable: 'POD', env: { POD: value } });
    expect(store.description).toBe('environment variable POD');
    expect(await store.lease(REQUEST)).toMatchObject({ outcome: 'new', workerId: Number(value) });
  });

  it.each([
    [undefined, 'is not set in the environment'],
    ['', 'is empty'],
    ['abc', 'is not a whole number'],
    ['-1', 'is not a whole number'],
    ['+1', 'is not a whole number'],
    [' 1', 'is not a whole number'],
    ['1 ', 'is not a whole number'],
    ['1\n', 'is not a whole number'],
    ['1.0', 'is not a whole number'],
    ['1e2', 'is not a whole number'],
    ['0x1', 'is not a whole number'],
    ['01', 'is not a whole number'],
    ['١', 'is not a whole number'],
    ['99999999999999999999', 'is not a whole number'],
  ])('refuses the value %j: it %s', (value, problem) => {
    expect(() => environmentLeaseStore({ env: { SNOWFLAKE_WORKER_ID: value } })).toThrow(
      expect.objectContaining({
        code: 'SNOWFLAKE_INVALID_OPTION',
        option: 'SNOWFLAKE_WORKER_ID',
        value,
        problem: expect.stringContaining(problem),
        remedy: expect.stringContaining('Set SNOWFLAKE_WORKER_ID to a whole number'),
      }),
    );
  });

  it.each([
    ['1024', 0, 1024, '0..1023'],
    ['3', 4, 8, '4..11'],
    ['12', 4, 8, '4..11'],
    ['9999999999', 0, 1024, '0..1023'],
  ])(
    'refuses worker ID %s in a layout from %d with %d',
    async (value, firstWorkerId, workerCount, bounds) => {
      const store = environmentLeaseStore({ env: { SNOWFLAKE_WORKER_ID: value } });
      await expect(store.lease({ ...REQUEST, firstWorkerId, workerCount })).rejects.toMatchObject({
        code: 'SNOWFLAKE_INVALID_OPTION',
        option: 'SNOWFLAKE_WORKER_ID',
        value,
        message: expect.stringContaining(bounds),
      });
    },
  );

  it.each([
    [{ variable: '' }, 'environmentLeaseStore.variable'],
    [{ variable: 'A B' }, 'environmentLeaseStore.variable'],
    [{ name: 'A' }, 'environmentLeaseStore.name'],
    [{ env: null }, 'environmentLeaseStore.env'],
    [{ env: 'SNOWFLAKE_WORKER_ID=7' }, 'environmentLeaseStore.env'],
    [5, 'environmentLeaseStore'],
  ])('refuses the options %j', (options, option) => {
    expect(() => environmentLeaseStore(options as EnvironmentLeaseStoreOptions)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
    );
  });

  it('warns once that nothing guards the worker ID', async () => {
    const maker = new SnowflakeIdMaker({
      store: environmentLeaseStore({ env: { SNOWFLAKE_WORKER_ID: '17' } }),
    });
    const warnings: LeaseEvent[] = [];
    maker.subscribe((event) => event.type === 'warning' && warnings.push(event));
    await maker.start();
    expect(maker.decode(maker.nextId()).workerId).toBe(17);
    await maker.stop();
    expect(warnings).toEqual([
      {
        type: 'warning',
        message: expect.stringContaining('Nothing checks that only this process uses SNOWFLAKE_WORKER_ID=17'),
      },
    ]);
  });
});
