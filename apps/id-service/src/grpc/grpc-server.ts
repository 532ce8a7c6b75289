import type { INestApplication } from '@nestjs/common';
import { HealthImplementation } from 'grpc-health-check';
import { grpcTransport, snowflakeGrpc } from 'nestjs-snowflake-service/grpc';
import { EnvironmentError } from '../../../shared/src/environment/environment.js';
import { everyAddress } from '../../../shared/src/http/listen.js';

export { grpcTransport };

/**
 * Makes the app serve gRPC. If it can't, closes the app, which gives its lease back.
 *
 * @throws EnvironmentError if the port can't be used
 */
export async function listenForGrpc(app: INestApplication, port: number): Promise<void> {
  const url = everyAddress() === '::' ? `[::]:${port}` : `0.0.0.0:${port}`;
  app.connectMicroservice(snowflakeGrpc({ url, health: HealthImplementation }));
  try {
    await app.startAllMicroservices();
  } catch (error) {
    await app.close();
    throw new EnvironmentError([`GRPC_PORT can't be used: ${(error as Error).message}`]);
  }
}
