import { IssuedIds } from '../support/issued-ids.js';
import { GrpcIdClient } from './clients/grpc-id-client.js';
import { HttpIdClient } from './clients/http-id-client.js';
import type { IdClient } from './clients/id-client.js';
import { type Endpoint, ENDPOINTS, speaksGrpc } from './endpoints.js';
import { MeasuredServer } from './measured-server.js';
import type { IdServerReady } from './server/id-server.js';
import type { Settings } from './settings.js';

interface Served {
  readonly server: MeasuredServer<IdServerReady>;
  readonly client: IdClient;
}

/** A server of each endpoint, a client of each, and the IDs that they got. */
export class Stage {
  readonly issued = new IssuedIds();

  private constructor(private readonly served: ReadonlyMap<Endpoint, Served>) {}

  static async open({ inFlight }: Settings): Promise<Stage> {
    const opened = ENDPOINTS.map(async (endpoint): Promise<[Endpoint, Served]> => {
      const server = await MeasuredServer.start<IdServerReady>('./server/id-server.ts', [endpoint]);
      const { url } = server.ready;
      const client = speaksGrpc(endpoint) ? new GrpcIdClient(url) : new HttpIdClient(url, inFlight);
      return [endpoint, { server, client }];
    });
    return new Stage(new Map(await Promise.all(opened)));
  }

  /** Requests IDs, and keeps them to find repeated ones. */
  async take(endpoint: Endpoint, count: number): Promise<void> {
    this.keep(await this.find(endpoint).client.take(count));
  }

  /** Requests a stream of batches, and returns how many IDs came. */
  async takeStream(batchSize: number, batchCount: number): Promise<number> {
    const { client } = this.find('serviceOverGrpc');
    let count = 0;
    for await (const ids of (client as GrpcIdClient).stream(batchSize, batchCount)) {
      this.keep(ids);
      count += ids.length;
    }
    return count;
  }

  /** Returns the CPU time that a server takes while `work` runs, in microseconds. */
  cpuUsOf(endpoint: Endpoint, work: () => Promise<unknown>): Promise<number> {
    return this.find(endpoint).server.cpuUsOf(work);
  }

  async close(): Promise<void> {
    const all = [...this.served.values()];
    await Promise.all(all.map(({ client }) => client.close()));
    await Promise.all(all.map(({ server }) => server.stop()));
  }

  private keep(ids: readonly (string | bigint)[]): void {
    for (const id of ids) this.issued.add(id);
  }

  private find(endpoint: Endpoint): Served {
    const served = this.served.get(endpoint);
    if (!served) throw new Error(`There is no server of ${endpoint}`);
    return served;
  }
}
