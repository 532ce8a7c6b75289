import { IssuedIds } from '../support/issued-ids.js';
import { GrpcIdClient } from './clients/grpc-id-client.js';
import { HttpIdClient } from './clients/http-id-client.js';
import type { IdClient } from './clients/id-client.js';
import { type Endpoint, ENDPOINTS, speaksGrpc } from './endpoints.js';
import { MeasuredServer } from './measured-server.js';
import type { IdServerReady } from './server/id-server.js';
import type { Settings } from './settings.js';

/** The server of all endpoints, a client of each, and the IDs that they got. */
export class Stage {
  readonly issued = new IssuedIds();

  private constructor(
    readonly server: MeasuredServer<IdServerReady>,
    private readonly clients: Readonly<Record<Endpoint, IdClient>>,
    /** The client of the service over gRPC, which also has streams. */
    readonly grpc: GrpcIdClient,
  ) {}

  static async open({ inFlight }: Settings): Promise<Stage> {
    const server = await MeasuredServer.start<IdServerReady>('./server/id-server.ts');
    const { urls } = server.ready;
    const grpc = new GrpcIdClient(urls.serviceOverGrpc);
    const clientOf = (endpoint: Endpoint): IdClient => {
      if (endpoint === 'serviceOverGrpc') return grpc;
      return speaksGrpc(endpoint)
        ? new GrpcIdClient(urls[endpoint])
        : new HttpIdClient(urls[endpoint], inFlight);
    };
    const clients = Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint, clientOf(endpoint)]));
    return new Stage(server, clients as Record<Endpoint, IdClient>, grpc);
  }

  /** Requests IDs, and keeps them to find repeated ones. */
  async take(endpoint: Endpoint, count: number): Promise<void> {
    this.keep(await this.clients[endpoint].take(count));
  }

  keep(ids: readonly (string | bigint)[]): void {
    for (const id of ids) this.issued.add(id);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.clients).map((client) => client.close()));
    await this.server.stop();
  }
}
