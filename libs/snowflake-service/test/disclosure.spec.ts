import { SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { type LeaseStore, StoreRejectedError, StoreUnavailableError } from 'nestjs-snowflake/store';
import { Registry } from 'prom-client';
import { Module } from '@nestjs/common';
import { PLATFORMS } from '../../../test/adapters/http-apps.js';
import { SHORT_WINDOW } from '../../../test/lease/support/short-window.js';
import { waitFor } from '../../../test/support/wait.js';
import {
  IDS_TOKEN,
  LEASE,
  type Received,
  send,
  SHOP_TOKEN,
  startService,
  storeOfTests,
} from './service-app.js';

/** Who holds worker IDs, and where they are stored. */
const HOLDER = 'pod-of-somebody-else';
const ADDRESS = '10.1.2.3:6379';
const WITHIN_MS = 20_000;

const everythingIn = ({ headers, body }: Received): string => JSON.stringify([body, ...headers]);

/** A store that grants one lease, and then fails with what only operators may see. */
function storeThatFailsLater(): LeaseStore {
  const store = storeOfTests();
  let calls = 0;
  return {
    ...store,
    lease(request, deadline) {
      calls += 1;
      if (calls === 1) return store.lease(request, deadline);
      const message = `worker ID 0 is held by ${HOLDER}: connect ECONNREFUSED ${ADDRESS}`;
      return Promise.reject(new (calls % 2 ? StoreRejectedError : StoreUnavailableError)(message));
    },
  };
}

describe.each(PLATFORMS)('the service on %s [promise: secrets]', (platform) => {
  it('shows a client that may only generate IDs nothing of workers and stores, in an outage either', async () => {
    const registry = new Registry();
    const store = storeThatFailsLater();
    // With few IDs per tick, so that the reserve of the window is soon used up.
    const layout = { timestampBits: 41, workerBits: 10, sequenceBits: 2 };
    const ids = SnowflakeModule.forRoot({
      store,
      layout,
      lease: { ...SHORT_WINDOW, possibleLoss: 'ignore' },
    });
    @Module({ imports: [ids, SnowflakePrometheusModule.forRoot({ registry })] })
    class Ids {}
    const service = await startService(platform, {}, { module: Ids });
    try {
      const refused = await waitFor('an exhausted maker', WITHIN_MS, async () => {
        const answer = await send(service, 'v1/ids?count=100', { token: IDS_TOKEN });
        return answer.status !== 200 && answer;
      });
      // The control: the maker has the text that the client must not see.
      expect(service.app.get(SnowflakeIdMaker).status().lastError?.message).toContain(HOLDER);
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(everythingIn(refused)).not.toMatch(/worker|pod-of|10\.1\.2\.3|namespace/i);
      expect(await registry.metrics()).not.toMatch(/pod-of|10\.1\.2\.3/);
    } finally {
      await service.stop();
    }
  });

  it('shows who holds which worker ID only to those who may read it', async () => {
    const service = await startService(platform, { leases: { shop: storeOfTests() } });
    try {
      const nonce = `0123456789abcdef:${HOLDER}`;
      const body = { ...LEASE, workerCount: 1, nonce };
      expect((await send(service, 'v1/leases/shop', { body, token: SHOP_TOKEN })).status).toBe(200);
      const others = [
        await send(service, 'v1/leases/shop', { body: { ...body, nonce: LEASE.nonce }, token: SHOP_TOKEN }),
        await send(service, 'v1/leases/shop', { body: { ...body, layout: 'another' }, token: SHOP_TOKEN }),
        await send(service, 'v1/leases/shop', { token: SHOP_TOKEN }),
        await send(service, 'v1/leases/shop', { token: IDS_TOKEN }),
        await send(service, 'v1/leases/shop', { token: '' }),
      ];
      expect(others.map(({ status }) => status)).toEqual([200, 200, 403, 403, 401]);
      for (const answer of others) expect(everythingIn(answer)).not.toContain(HOLDER);
      expect(everythingIn(await send(service, 'v1/leases/shop'))).toContain(HOLDER);
    } finally {
      await service.stop();
    }
  });
});
