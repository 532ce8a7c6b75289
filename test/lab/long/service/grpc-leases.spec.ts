import type { LeaseStore } from 'nestjs-snowflake/store';
import { startGrpc } from '../../../../libs/snowflake-service/test/grpc-app.js';
import { type Called, GrpcClient } from '../../../../libs/snowflake-service/test/grpc-client.js';
import { GrpcLeaseStore } from '../../../../libs/snowflake-service/test/grpc-lease-store.js';
import {
  leasesContract,
  requestOf,
  type ServedStore,
} from '../../../../libs/snowflake-service/test/leases-contract.js';
import {
  CALL_MS,
  IDS_TOKEN,
  storeOfTests,
  TOKEN,
} from '../../../../libs/snowflake-service/test/service-app.js';

/** A client behind something that answers each call with the first response that it has got. */
class RepeatingClient extends GrpcClient {
  private first: Promise<Called> | undefined;

  constructor(
    url: string,
    private readonly renames: boolean,
  ) {
    super(url);
  }

  override async call(...given: Parameters<GrpcClient['call']>): Promise<Called> {
    this.first ??= super.call(...given);
    const first = await this.first;
    const { call } = given[1] as { call: string };
    return this.renames ? { ...first, response: { ...first.response, call } } : first;
  }
}

async function serve(store: LeaseStore, token = TOKEN): Promise<ServedStore> {
  const service = await startGrpc({ service: { leases: { shop: store }, callTimeoutMs: CALL_MS } });
  const clients: LeaseStore[] = [];
  const storeWith = (client: GrpcClient): LeaseStore => {
    clients.push(new GrpcLeaseStore(client, token));
    return clients.at(-1)!;
  };
  return {
    client: () => storeWith(new GrpcClient(service.url)),
    repeatingClient: async (renames) => storeWith(new RepeatingClient(service.url, renames)),
    async stop() {
      for (const client of clients) await client.close();
      await service.stop();
    },
  };
}

leasesContract('gRPC', serve, { memory: () => storeOfTests(false) });

describe('a lease over gRPC', () => {
  it('fails for good with a token for something else', async () => {
    const service = await serve(storeOfTests(), IDS_TOKEN);
    try {
      await expect(service.client().lease(requestOf('one'))).rejects.toMatchObject({
        code: 'SNOWFLAKE_STORE_REJECTED',
      });
    } finally {
      await service.stop();
    }
  });
});
