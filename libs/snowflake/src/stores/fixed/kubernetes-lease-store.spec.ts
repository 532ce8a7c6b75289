import type { LeaseEvent } from '../../lease/lease-event.js';
import type { LeaseRequest } from '../../lease/lease-store.js';
import { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import { fixedStoreContract } from '../../store-testing/fixed-store-contract.js';
import {
  kubernetesLeaseStore,
  kubernetesLeaseStoreIn,
  type KubernetesLeaseStoreOptions,
} from './fixed-worker-ids.js';
import type { PodEnvironment } from './stateful-ordinal.js';

const START_MS = Date.UTC(2026, 0, 1);
const IN_CLUSTER = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
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
