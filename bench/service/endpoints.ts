/** Everything that answers requests for IDs, each in a process of its own. */
export const ENDPOINTS = [
  'nodeHttp',
  'fastify',
  'nestRoute',
  'nestGuardedRoute',
  'nestGuardedRouteOnExpress',
  'serviceOnFastify',
  'serviceOnExpress',
  'grpcJs',
  'serviceOverGrpc',
] as const;

export type Endpoint = (typeof ENDPOINTS)[number];

/** Who an endpoint is, and what it does for a request, in the words of the report. */
export const NAMES: Readonly<Record<Endpoint, string>> = {
  nodeHttp: 'node:http, no authorization',
  fastify: 'Fastify, no authorization',
  nestRoute: 'Route of Nest on Fastify, no authorization',
  nestGuardedRoute: 'Route of Nest on Fastify, bearerTokens() in a guard',
  nestGuardedRouteOnExpress: 'Route of Nest on Express, bearerTokens() in a guard',
  serviceOnFastify: 'The service on Fastify',
  serviceOnExpress: 'The service on Express',
  grpcJs: '@grpc/grpc-js, no authorization',
  serviceOverGrpc: 'The service over gRPC',
};

/** Whether an endpoint speaks gRPC instead of HTTP. */
export const speaksGrpc = (endpoint: Endpoint): boolean =>
  endpoint === 'grpcJs' || endpoint === 'serviceOverGrpc';

export const TOKEN = 'a-token-of-the-benchmark';
