import type { Provider, Type } from '@nestjs/common';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import {
  callback,
  checkedBy,
  checkedOptions,
  LocalWindowStore,
  NAMESPACE,
  requireObject,
  showsOptions,
  STORE_OPTIONS,
  wholeNumber,
} from 'nestjs-snowflake/kit';
import { DRAIN_TIMEOUT_MS } from 'nestjs-snowflake/kit-nest';
import type { LeaseStore } from 'nestjs-snowflake/store';
import type { ServiceAuthorization } from '../authorization/service-call.js';

/** Options of {@link SnowflakeServiceModule}. */
export interface SnowflakeServiceOptions {
  /**
   * Decides which calls are allowed, before the service processes them. `bearerTokens()` returns such a function.
   *
   * @defaultValue none; it is required
   */
  readonly authorize: ServiceAuthorization;
  /**
   * Stores from which clients lease worker IDs. The keys are the namespaces that clients pass. Nothing else in the app may use the stores.
   *
   * @defaultValue `{}`
   */
  readonly leases?: Readonly<Record<string, LeaseStore>>;
  /**
   * How many IDs or numbers a client can request at once.
   * Bounds: 1 to 10,000.
   *
   * @defaultValue `10000`
   */
  readonly maxCount?: number;
  /**
   * How long a call to a store or a wait for numbers may take, in milliseconds. A client can set a shorter time in the header `Snowflake-Timeout-Ms`.
   * Bounds: 100 to 60,000.
   *
   * @defaultValue `2000`
   */
  readonly callTimeoutMs?: number;
  /**
   * How long the shutdown of the app may take before the stores are closed, in milliseconds.
   * Bounds: 1 to 86,400,000.
   *
   * @defaultValue `10000`
   */
  readonly drainTimeoutMs?: number;
}

/** Options next to `useFactory`, which must be known before it runs. */
export interface SnowflakeServiceExtras {
  /**
   * The path before `/v1/…`, below the global prefix of the app.
   *
   * @defaultValue none
   */
  readonly path?: string;
  /**
   * Serves gRPC too: `grpcTransport` of `nestjs-snowflake-service/grpc`. The app listens with `snowflakeGrpc()`.
   *
   * @defaultValue none
   */
  readonly grpc?: ServiceTransport;
}

/** What another transport than HTTP adds to the module. */
export interface ServiceTransport {
  readonly controllers: readonly Type<object>[];
  readonly providers: readonly Provider[];
}

/** Checked {@link SnowflakeServiceOptions}. */
export interface ServiceSettings {
  readonly authorize: ServiceAuthorization;
  readonly leases: ReadonlyMap<string, LeaseStore>;
  readonly maxCount: number;
  readonly callTimeoutMs: number;
  readonly drainTimeoutMs: number;
}

const PATH = /^[\w.~-]+(\/[\w.~-]+)*$/;

export const SERVICE_OPTIONS = {
  authorize: callback<ServiceAuthorization>(),
  leases: checkedBy((option, given: unknown = {}) => checkedStores(option, given)),
  maxCount: wholeNumber(1, 10_000).or(10_000),
  callTimeoutMs: wholeNumber(100, 60_000).or(2000),
  drainTimeoutMs: DRAIN_TIMEOUT_MS,
} satisfies Record<keyof SnowflakeServiceOptions, unknown>;

/** Checks the options and fills in the defaults. @throws InvalidOptionError */
export function checkServiceOptions(options: SnowflakeServiceOptions): ServiceSettings {
  return checkedOptions('options', options, SERVICE_OPTIONS);
}

/** Returns the path of the routes, with the version of the protocol. @throws InvalidOptionError */
export function checkServicePath(path: unknown): string {
  if (path === undefined) return 'v1';
  const inner = typeof path === 'string' ? path.replace(/^\/+|\/+$/g, '') : '';
  if (PATH.test(inner)) return `${inner}/v1`;
  const problem = 'must be a path of letters, digits, ".", "_", "~" and "-", with at least one segment';
  throw new InvalidOptionError(
    'path',
    path,
    problem,
    "Pass a path that nothing else uses, such as '/snowflake'.",
  );
}

/** Returns the transport, or none of its parts. @throws InvalidOptionError */
export function checkServiceTransport(grpc: unknown): ServiceTransport {
  if (grpc === undefined) return { controllers: [], providers: [] };
  const { controllers, providers } = Object(grpc) as Partial<ServiceTransport>;
  if (Array.isArray(controllers) && Array.isArray(providers)) return { controllers, providers };
  throw new InvalidOptionError(
    'grpc',
    grpc,
    'is no transport',
    'Pass grpcTransport of nestjs-snowflake-service/grpc.',
  );
}

function checkedStores(option: string, given: unknown): ReadonlyMap<string, LeaseStore> {
  const remedy = "Pass e.g. { shop: redisLeaseStore({ url, namespace: 'shop' }) }.";
  const stores = Object.entries(requireObject(option, given as Readonly<Record<string, LeaseStore>>, remedy));
  return new Map(
    stores.map(([name, store]) => [
      NAMESPACE.check(`a name in ${option}`, name),
      checkedStore(`${option}.${name}`, store),
    ]),
  );
}

function checkedStore(option: string, store: LeaseStore): LeaseStore {
  const { lease, renewable } = Object(store) as Partial<LeaseStore>;
  if (typeof lease !== 'function') {
    throw new InvalidOptionError(
      option,
      store,
      'is no lease store',
      'Pass what redisLeaseStore() or sqlLeaseStore() returns.',
    );
  }
  if (store instanceof LocalWindowStore) {
    const problem = 'keeps the window of one process in a file';
    throw new InvalidOptionError(
      option,
      store,
      problem,
      'Wrap the store of the client instead: withLocalWindow(remoteLeaseStore(…)).',
    );
  }
  if (showsOptions(store) && store[STORE_OPTIONS]().kind === 'memory') {
    const problem =
      'is a store in memory, so a service that restarts would grant worker IDs that its clients still use';
    throw new InvalidOptionError(
      option,
      store,
      problem,
      'Pass what redisLeaseStore() or sqlLeaseStore() returns.',
    );
  }
  if (renewable === true) return store;
  throw new InvalidOptionError(
    option,
    store,
    'has a fixed worker ID, which one process alone can use',
    'Pass what redisLeaseStore() or sqlLeaseStore() returns.',
  );
}
