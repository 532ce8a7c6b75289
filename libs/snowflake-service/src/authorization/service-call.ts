/**
 * What a client needs permission for:
 *
 * - `ids`: to get new IDs
 * - `leases`: to acquire, renew and release the lease of a worker ID
 * - `read`: to decode IDs, and to read a layout or who holds which worker ID
 */
export type ServiceScope = 'ids' | 'leases' | 'read';

/** One call to the service, before it is read further. */
export interface ServiceCall {
  readonly scope: ServiceScope;
  /** The namespace of leases, or the instance that makes or reads IDs, as the client names it. It may not exist. */
  readonly name: string;
  /** The bearer token, if the request has one. */
  readonly token: string | undefined;
  /** The request of the platform: Express's or Fastify's. */
  readonly request: unknown;
}

/** Decides whether a call may go on. An error that it throws, such as one of Nest's exceptions, is the answer. */
export type ServiceAuthorization = (call: ServiceCall) => boolean | Promise<boolean>;
