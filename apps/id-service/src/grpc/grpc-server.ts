import type { Server } from '@grpc/grpc-js';
import type { INestApplication } from '@nestjs/common';
import { HealthImplementation } from 'grpc-health-check';
import { grpcTransport, snowflakeGrpc } from 'nestjs-snowflake-service/grpc';
import { EnvironmentError } from '../../../shared/src/environment/environment.js';
import { everyAddress } from '../../../shared/src/http/listen.js';
import { BoundedShutdown } from '../../../shared/src/shutdown/bounded-shutdown.js';

export { grpcTransport };

/**
 * Makes the app serve gRPC, with its rate limit and the bounds of its shutdown. If it can't, closes the app, which gives its lease back.
 *
 * @throws EnvironmentError if the port can't be used
 */
export async function listenForGrpc(app: INestApplication, port: number): Promise<void> {
  const url = everyAddress() === '::' ? `[::]:${port}` : `0.0.0.0:${port}`;
  const shutdown = app.get(BoundedShutdown);
  const options = snowflakeGrpc({ url, health: boundedBy(shutdown) });
  app.connectMicroservice(options, { inheritAppConfig: true });
  try {
    await app.startAllMicroservices();
  } catch (error) {
    await app.close();
    throw new EnvironmentError([`GRPC_PORT can't be used: ${(error as Error).message}`]);
  }
}

/** The health service gets the server, which Nest returns to nobody. */
function boundedBy(shutdown: BoundedShutdown): typeof HealthImplementation {
  return class extends HealthImplementation {
    override addToServer(server: Server): void {
      super.addToServer(server);
      shutdown.include({
        calls: 'gRPC calls',
        stopAccepting: () => new Promise((resolve) => server.tryShutdown(() => resolve())),
        cutAll: () => server.forceShutdown(),
      });
    }
  };
}
