import type { LeaseEvent } from '../../lease/lease-events.js';
import type { LeaseRequest } from '../../lease/lease-store.js';
import { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import { fixedStoreContract } from '../port/fixed-store-contract.js';
import {
  environmentLeaseStore,
  kubernetesLeaseStore,
  kubernetesLeaseStoreIn,
  staticLeaseStore,
  type EnvironmentLeaseStoreOptions,
  type KubernetesLeaseStoreOptions,
  type StaticLeaseStoreOptions,
} from './fixed-worker-ids.js';
import type { PodEnvironment } from './stateful-ordinal.js';

const NOW_MS = Date.UTC(2026, 0, 1);
const clock = { now: () => NOW_MS };
const request: LeaseRequest = {
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

// What it has in common with all stores of one grant is tested by their contract, in store-testing/fixed-store-contract.spec.ts.
describe('staticLeaseStore', () => {
  it('begins its grant at the time of its clock, under a fencing token that names both holder and time', async () => {
    expect(await staticLeaseStore({ workerId: 17, clock }).lease(request)).toEqual({
      outcome: 'new',
      workerId: 17,
      fencingToken: `nonce@${NOW_MS}`,
      fromMs: NOW_MS,
      untilMs: Number.MAX_SAFE_INTEGER,
      storeNowMs: NOW_MS,
    });
  });

  it.each([-1, 1.5, NaN, Infinity])('refuses worker ID %o', (workerId) => {
    expect(() => staticLeaseStore({ workerId })).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'workerId', value: workerId }),
    );
  });

  it.each([
    ['staticLeaseStore', undefined],
    ['staticLeaseStore', null],
    ['staticLeaseStore', 7],
    ['staticLeaseStore.workerID', { workerID: 7 }],
    ['staticLeaseStore.namespace', { workerId: 7, namespace: 'shop' }],
  ])('refuses a wrong %s: %j', (option, options) => {
    expect(() => staticLeaseStore(options as StaticLeaseStoreOptions)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
    );
  });

  it.each([
    [1024, 0, 1024, '0..1023'],
    [3, 4, 8, '4..11'],
    [12, 4, 8, '4..11'],
  ])(
    'refuses worker ID %d in a layout of %d and %d more: %s',
    async (workerId, firstWorkerId, workerCount, bounds) => {
      const store = staticLeaseStore({ workerId, clock });
      await expect(store.lease({ ...request, firstWorkerId, workerCount })).rejects.toMatchObject({
        code: 'SNOWFLAKE_INVALID_OPTION',
        value: workerId,
        message: expect.stringContaining(bounds),
      });
    },
  );

  it.each([
    [0, 0, 1024],
    [1023, 0, 1024],
    [4, 4, 8],
    [11, 4, 8],
  ])('accepts worker ID %d in a layout from %d with %d', async (workerId, firstWorkerId, workerCount) => {
    const reply = await staticLeaseStore({ workerId, clock }).lease({
      ...request,
      firstWorkerId,
      workerCount,
    });
    expect(reply).toMatchObject({ outcome: 'new', workerId });
  });
});

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

const IN_CLUSTER = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };

const pod = (hostname: string, env: PodEnvironment['env'] = {}, usesHostNetwork = false): PodEnvironment => ({
  hostname,
  usesHostNetwork,
  env: { ...IN_CLUSTER, ...env },
});

const refusal = (option: string, problem: string): unknown =>
  expect.objectContaining({
    code: 'SNOWFLAKE_INVALID_OPTION',
    option,
    problem: expect.stringContaining(problem),
    remedy: expect.stringMatching(/\w/),
  });

describe('the fixed store contract, on the ordinal of a StatefulSet', () => {
  const contract = async () => {
    let nowMs = START_MS;
    const store = kubernetesLeaseStoreIn({ offset: 10, clock: { now: () => nowMs } }, pod('web-7'));
    const letPass = async (ms: number) => void (nowMs += ms);
    return { store, workerId: 17, letPass, dispose: () => store.close() };
  };
  fixedStoreContract(contract, { describe, it });
});

describe('kubernetesLeaseStore', () => {
  it.each<[string, KubernetesLeaseStoreOptions, PodEnvironment, number, string]>([
    ['the host name', {}, pod('web-3'), 3, 'StatefulSet "web", ordinal 3'],
    ['the host name with dashes', {}, pod('my-web-2-0'), 0, 'StatefulSet "my-web-2", ordinal 0'],
    ['an offset', { offset: 100 }, pod('web-3'), 103, 'StatefulSet "web", ordinal 3'],
    ['spec.ordinals.start', { firstOrdinal: 5 }, pod('web-7'), 2, 'StatefulSet "web", ordinal 7'],
    ['a name that is given', { hostname: 'db-4' }, pod('node-1', {}, true), 4, 'StatefulSet "db", ordinal 4'],
    [
      'the label pod-index, host network or not',
      { podIndexVariable: 'INDEX' },
      pod('node-1', { INDEX: '12' }, true),
      12,
      'StatefulSet, ordinal 12',
    ],
    [
      'the label pod-name',
      { podIndexVariable: 'NAME' },
      pod('anything', { NAME: 'web-12' }),
      12,
      'StatefulSet "web", ordinal 12',
    ],
  ])('takes the worker ID from %s', async (_, options, environment, workerId, description) => {
    const store = kubernetesLeaseStoreIn(options, environment);
    expect(store.description).toBe(description);
    expect(await store.lease(REQUEST)).toMatchObject({ outcome: 'new', workerId });
  });

  it.each([
    ['web-7d9f8c6b5-x2k9q', 'pod names of a Deployment'],
    ['web-7d9f8c6b54-24567', 'pod names of a Deployment'],
    ['web-abc-55d79-l4zxw', 'DaemonSet or Job'],
    ['agent-x2k9q', 'DaemonSet or Job'],
    ['agent-24567', 'DaemonSet or Job'],
    ['web', 'does not have the form'],
    ['web-', 'does not have the form'],
    ['-3', 'does not have the form'],
    ['3', 'does not have the form'],
    ['web-03', 'does not have the form'],
    ['web-3a', 'does not have the form'],
    ['web-3.example.com', 'does not have the form'],
    ['web-99999999999', 'does not have the form'],
    ['', 'does not have the form'],
  ])('refuses a pod called %j: %s', (hostname, problem) => {
    expect(() => kubernetesLeaseStoreIn({}, pod(hostname))).toThrow(
      refusal('kubernetesLeaseStore.hostname', problem) as Error,
    );
  });

  it.each<[string, KubernetesLeaseStoreOptions, PodEnvironment, string, string]>([
    [
      'outside Kubernetes',
      {},
      { hostname: 'web-3', env: {}, usesHostNetwork: false },
      'KUBERNETES_SERVICE_HOST',
      'outside Kubernetes',
    ],
    [
      'with the host name of the node',
      {},
      pod('worker-3', {}, true),
      'kubernetesLeaseStore.hostname',
      'of the node',
    ],
    [
      'in an Indexed Job',
      {},
      pod('job-3', { JOB_COMPLETION_INDEX: '3' }),
      'JOB_COMPLETION_INDEX',
      'two of its pods can run',
    ],
    ['without the variable', { podIndexVariable: 'INDEX' }, pod('web-3'), 'INDEX', 'is not set'],
    [
      'without the label',
      { podIndexVariable: 'INDEX' },
      pod('web-3', { INDEX: '' }),
      'INDEX',
      'no such label',
    ],
    [
      'with a variable of another kind',
      { podIndexVariable: 'I' },
      pod('web-3', { I: '-1' }),
      'I',
      'does not have the form',
    ],
    [
      'below the first ordinal',
      { firstOrdinal: 4 },
      pod('web-3'),
      'kubernetesLeaseStore.firstOrdinal',
      'above',
    ],
    ['with a bad offset', { offset: -1 }, pod('web-3'), 'kubernetesLeaseStore.offset', 'out of bounds'],
    [
      'with two sources',
      { hostname: 'web-3', podIndexVariable: 'I' },
      pod('web-3', { I: '3' }),
      'kubernetesLeaseStore.hostname',
      'conflicts with',
    ],
    ['with an empty name', { hostname: '' }, pod('web-3'), 'kubernetesLeaseStore.hostname', 'is not a name'],
    [
      'with an unknown option',
      { ordinal: 3 } as object,
      pod('web-3'),
      'kubernetesLeaseStore.ordinal',
      'is not an option',
    ],
  ])('refuses to work %s', (_, options, environment, option, problem) => {
    expect(() => kubernetesLeaseStoreIn(options, environment)).toThrow(refusal(option, problem) as Error);
  });

  it('refuses an ordinal that the layout cannot hold', async () => {
    const store = kubernetesLeaseStoreIn({ offset: 1000 }, pod('web-24'));
    await expect(store.lease(REQUEST)).rejects.toEqual(
      refusal('kubernetesLeaseStore.hostname', 'worker ID 1024 (offset 1000), which is outside'),
    );
  });

  it('looks at the running process by default', () => {
    const { KUBERNETES_SERVICE_HOST: before } = process.env;
    delete process.env.KUBERNETES_SERVICE_HOST;
    try {
      expect(() => kubernetesLeaseStore()).toThrow(
        refusal('KUBERNETES_SERVICE_HOST', 'outside Kubernetes') as Error,
      );
    } finally {
      if (before !== undefined) process.env.KUBERNETES_SERVICE_HOST = before;
    }
  });

  it('warns once of what Kubernetes does not guarantee', async () => {
    const maker = new SnowflakeIdMaker({ store: kubernetesLeaseStoreIn({}, pod('web-3')) });
    const warnings: LeaseEvent[] = [];
    maker.subscribe((event) => event.type === 'warning' && warnings.push(event));
    await maker.start();
    expect(maker.decode(maker.nextId()).workerId).toBe(3);
    await maker.stop();
    expect(warnings).toEqual([{ type: 'warning', message: expect.stringContaining('force-deleted') }]);
  });
});
