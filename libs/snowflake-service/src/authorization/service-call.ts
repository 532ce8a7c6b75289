/**
 * What a client needs permission for:
 *
 * - `ids`: to get new IDs
 * - `segments`: to get the numbers of a tag
 * - `leases`: to acquire, renew and release the lease of a worker ID, and to claim past timestamps for imports
 * - `claims`: to claim segments for a process that issues the numbers itself, return them, and create and resume tags
 * - `read`: to decode IDs, and to read a layout, or who holds which worker ID or segment
 */
export type ServiceScope = 'ids' | 'segments' | 'leases' | 'claims' | 'read';

/** A call to the service, before the service processes it. */
export interface ServiceCall {
  readonly scope: ServiceScope;
  /** The namespace of leases or claims, the tag of numbers, or the instance that generates or reads IDs, as the client names it. It might not exist. */
  readonly name: string;
  /** The bearer token, if the request has one. */
  readonly token: string | undefined;
  /** The request object of Express or Fastify, or the call object of `@grpc/grpc-js`. */
  readonly request: unknown;
}

/**
 * Decides whether a call is allowed. Only `true` allows it. If it returns `undefined`, the client is unknown and gets a 401. With `false`,
 * the client is known and gets a 403, but a call without a token gets a 401. If it throws one of Nest's HTTP exceptions, the client gets
 * its status and message.
 */
export type ServiceAuthorization = (call: ServiceCall) => boolean | undefined | Promise<boolean | undefined>;
