import { RemoteLeaseStore } from './remote-lease-store.js';
import { type CallEnvironment, realEnvironment } from './service-calls.js';

const REQUEST = {
  layout: 'layout',
  firstWorkerId: 0,
  workerCount: 8,
  windowMs: 60_000,
  maxSkewMs: 1000,
  nonce: '0123456789abcdef:one',
  retry: false,
  assumeNew: false,
  searchSeed: 1,
};

describe('a remote lease store', () => {
  it('asks the next service after one whose store may have been replaced', async () => {
    const asked: string[] = [];
    const environment: CallEnvironment = {
      ...realEnvironment,
      newCallName: () => 'the call',
      fetch: async (url) => {
        asked.push(new URL(url).hostname);
        const reply = url.includes('deposed')
          ? { outcome: 'alone', replicas: 0, storeNowMs: 1 }
          : { outcome: 'full', nextFreeInMs: 1, storeNowMs: 1 };
        return Response.json(reply, { headers: { 'snowflake-call': 'the call' } });
      },
    };
    const urls = ['http://deposed', 'http://present'];
    const store = new RemoteLeaseStore({ namespace: 'shop', urls }, environment);
    await expect(store.lease(REQUEST)).resolves.toMatchObject({ outcome: 'alone' });
    await expect(store.lease(REQUEST)).resolves.toMatchObject({ outcome: 'full' });
    await expect(store.lease(REQUEST)).resolves.toMatchObject({ outcome: 'full' });
    expect(asked).toEqual(['deposed', 'present', 'present']);
  });
});
