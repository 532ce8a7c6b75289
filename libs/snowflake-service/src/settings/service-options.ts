import type { Provider, Type } from '@nestjs/common';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { callback, checkedOptions, wholeNumber } from 'nestjs-snowflake/internal/core/options/option-rule';
import { DRAIN_TIMEOUT_MS } from 'nestjs-snowflake/internal/kit/nest/bounded-drain';
import type { LeaseStore } from 'nestjs-snowflake/store';
import type { SegmentStore } from 'nestjs-snowflake-segments/store';
import type { ServiceAuthorization } from '../authorization/service-call.js';
import { LEASE_STORES, SEGMENT_STORES } from './served-store-checks.js';

/** Options of {@link SnowflakeServiceModule}. */
export interface SnowflakeServiceOptions {
  /**
   * Decides which calls are allowed, before the service processes them. `bearerTokens()` returns such a function.
   *
   * @defaultValue none; it is required
   */
  readonly authorize: ServiceAuthorization;
  /**
   * Stores from which clients lease worker IDs, by namespace. Nothing else in the app may use these stores.
   *
   * @defaultValue `{}`
   */
  readonly leases?: Readonly<Record<string, LeaseStore>>;
  /**
   * Stores from which clients claim segments, by namespace, each on one database. Nothing else in the app may use these stores. The
   * service issues numbers of the app's own `SegmentModule` without this option.
   *
   * @defaultValue `{}`
   */
  readonly segments?: Readonly<Record<string, SegmentStore>>;
  /**
   * How many IDs or numbers a client can request at once.
   * Bounds: 1 to 10,000.
   *
   * @defaultValue `10000`
   */
  readonly maxCount?: number;
  /**
   * How long a call to a store or a wait for numbers may take, in milliseconds. A client can shorten it with the header
   * `Snowflake-Timeout-Ms` or a gRPC deadline.
   * Bounds: 100 to 60,000.
   *
   * @defaultValue `2000`
   */
  readonly callTimeoutMs?: number;
  /**
   * How long the app's shutdown may take before the service closes the stores, in milliseconds.
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
   * Whether to serve the addresses of a Leaf server as well, so that its clients only need another host.
   *
   * `/api/snowflake/get/:key` returns an ID of the default instance, and `/api/segment/get/:key` a number of a tag. They are below the
   * global prefix of the app, but not below `path`. Clients of Leaf send no token, so `authorize` must admit calls without one: for
   * `bearerTokens()`, add a grant with `anyone: true`.
   *
   * @defaultValue `false`
   */
  readonly leafAddresses?: boolean;
  /**
   * Serves gRPC as well: `grpcTransport` from `nestjs-snowflake-service/grpc`. The app listens with `snowflakeGrpc()`.
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
  readonly segments: ReadonlyMap<string, SegmentStore>;
  readonly maxCount: number;
  readonly callTimeoutMs: number;
  readonly drainTimeoutMs: number;
}

const PATH = /^[\w.~-]+(\/[\w.~-]+)*$/;

export const SERVICE_OPTIONS = {
  authorize: callback<ServiceAuthorization>(),
  leases: LEASE_STORES,
  segments: SEGMENT_STORES,
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
    'is not a transport',
    'Pass grpcTransport of nestjs-snowflake-service/grpc.',
  );
}
