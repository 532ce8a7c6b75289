import type { Server } from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { ModulesContainer } from '@nestjs/core';
import { type AsyncMicroserviceOptions, type GrpcOptions, Transport } from '@nestjs/microservices';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { checkGrpcOptions, type SnowflakeGrpcOptions } from './grpc-options.js';
import { PROTO_FILE, PROTO_FOLDER, PROTO_PACKAGE } from './proto.js';
import { ServedGrpc } from './served-grpc.js';

/** These are settings of grpc-js, which the app can replace one by one. Nest's own options would replace those of the app. */
const CONNECTION_BOUNDS = {
  // This is far more than any request of the protocol needs.
  'grpc.max_receive_message_length': 65_536,
  'grpc.max_concurrent_streams': 100,
  'grpc.max_connection_idle_ms': 300_000,
  // A client that answers no ping is gone: its streams end.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // grpc.enable_channelz stays on: without it, grpc-js leaves connections open that Nest wants to end.
};
/** 64-bit numbers are exact as strings, and would be rounded as numbers. */
const LOADER = {
  includeDirs: [PROTO_FOLDER],
  keepCase: false,
  longs: String,
  enums: String,
  defaults: true,
  arrays: true,
};

/**
 * Returns the options with which a Nest app serves IDs, numbers and leases over gRPC, for `connectMicroservice()` and
 * `createMicroservice()`. The app imports `SnowflakeServiceModule` with the option `grpc: grpcTransport`.
 *
 * @throws InvalidOptionError if an option is invalid. `connectMicroservice()` throws it if the module does not serve gRPC.
 * @example
 * ```ts
 * const app = await NestFactory.create(AppModule);
 * app.connectMicroservice(snowflakeGrpc({ url: '0.0.0.0:50051', health: HealthImplementation }));
 * await app.startAllMicroservices();
 * ```
 */
export function snowflakeGrpc(options: SnowflakeGrpcOptions): AsyncMicroserviceOptions {
  const { url, credentials, health, reflection, channelOptions } = checkGrpcOptions(options);
  const optionsFor = (served: ServedGrpc): GrpcOptions => ({
    transport: Transport.GRPC,
    options: {
      url,
      credentials,
      package: PROTO_PACKAGE,
      protoPath: PROTO_FILE,
      loader: LOADER,
      channelOptions: { ...CONNECTION_BOUNDS, ...channelOptions },
      onLoadPackageDefinition(definition: PackageDefinition, server: Server) {
        if (reflection) new reflection(definition).addToServer(server);
        served.open(server, health && new health({}));
      },
    },
  });
  return {
    inject: [ModulesContainer],
    useFactory: (modules: ModulesContainer) => optionsFor(servedIn(modules)),
  };
}

/** @throws InvalidOptionError unless exactly one module serves gRPC, because a call does not say for which of two it is */
function servedIn(modules: ModulesContainer): ServedGrpc {
  const found = [...modules.values()]
    .map(({ providers }) => providers.get(ServedGrpc)?.instance)
    .filter((instance) => instance instanceof ServedGrpc);
  const [served] = found;
  if (served && found.length === 1) return served;
  const problem = served
    ? 'is set in several SnowflakeServiceModules'
    : 'is set in no SnowflakeServiceModule';
  throw new InvalidOptionError(
    'grpc',
    undefined,
    problem,
    'Import one with SnowflakeServiceModule.forRoot({ authorize, grpc: grpcTransport }).',
  );
}
