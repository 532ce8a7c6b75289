/**
 * The gRPC services. Needs `@nestjs/microservices`, `@grpc/grpc-js` and `@grpc/proto-loader`.
 *
 * @module
 */
export type { GrpcHealth, GrpcReflection, SnowflakeGrpcOptions } from './grpc/grpc-options.js';
export { grpcTransport } from './grpc/grpc-transport.js';
export { snowflakeGrpc } from './grpc/snowflake-grpc.js';
