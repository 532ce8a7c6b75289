import type { ChannelOptions, Server, ServerCredentials } from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { requireObject } from 'nestjs-snowflake/internal/core/options/option-checks';
import {
  checkedBy,
  checkedOptions,
  type OptionRule,
  type OptionRules,
  text,
} from 'nestjs-snowflake/internal/core/options/option-rule';

/** What `HealthImplementation` of `grpc-health-check` creates. */
export interface GrpcHealth {
  setStatus(service: string, status: 'SERVING' | 'NOT_SERVING'): void;
  addToServer(server: Server): void;
}

/** What `ReflectionService` of `@grpc/reflection` creates. */
export interface GrpcReflection {
  addToServer(server: Server): void;
}

/** Options of {@link snowflakeGrpc}. */
export interface SnowflakeGrpcOptions {
  /**
   * Where to listen, e.g. `0.0.0.0:50051`.
   *
   * @defaultValue none; it is required
   */
  readonly url: string;
  /**
   * TLS, from `ServerCredentials.createSsl()` of `@grpc/grpc-js`.
   *
   * @defaultValue none: calls and tokens are not encrypted
   */
  readonly credentials?: ServerCredentials;
  /**
   * The class `HealthImplementation` of `grpc-health-check`, which adds gRPC's health service.
   *
   * The server and `snowflake.v1.IdService` are `SERVING` while all ID makers of the app can issue IDs. Once the app shuts down,
   * everything is `NOT_SERVING`.
   *
   * @defaultValue none
   */
  readonly health?: new (statuses: Record<string, 'SERVING' | 'NOT_SERVING'>) => GrpcHealth;
  /**
   * The class `ReflectionService` of `@grpc/reflection`, with which tools such as grpcurl read the services. Everybody who reaches the
   * server can use it.
   *
   * @defaultValue none
   */
  readonly reflection?: new (definition: PackageDefinition) => GrpcReflection;
  /**
   * Server options of `@grpc/grpc-js`, each of which replaces the library's own.
   *
   * @defaultValue limits for requests, streams and idle connections
   */
  readonly channelOptions?: ChannelOptions;
}

const CHANNEL_REMEDY = "Pass e.g. { 'grpc.max_connection_age_ms': 3_600_000 }.";

export const GRPC_OPTIONS = {
  url: text(/^\S+$/, 'is not an address', "Pass e.g. '0.0.0.0:50051'."),
  credentials: anObject<ServerCredentials>(
    'Pass what ServerCredentials.createSsl() of @grpc/grpc-js returns.',
  ),
  health: aClass<NonNullable<SnowflakeGrpcOptions['health']>>(
    'Pass the class HealthImplementation of grpc-health-check.',
  ),
  reflection: aClass<NonNullable<SnowflakeGrpcOptions['reflection']>>(
    'Pass the class ReflectionService of @grpc/reflection.',
  ),
  channelOptions: anObject<ChannelOptions>(CHANNEL_REMEDY).or({}),
} satisfies OptionRules<SnowflakeGrpcOptions>;

/** Checks the options. @throws InvalidOptionError */
export function checkGrpcOptions(options: SnowflakeGrpcOptions) {
  return checkedOptions('options', options, GRPC_OPTIONS);
}

function anObject<Given extends object>(remedy: string): OptionRule<Given | undefined> {
  return checkedBy((option, value) => requireObject(option, value, remedy) as Given).optional();
}

function aClass<Class extends abstract new (...given: never[]) => object>(
  remedy: string,
): OptionRule<Class | undefined> {
  return checkedBy((option, value) => {
    if (typeof value === 'function') return value as unknown as Class;
    throw new InvalidOptionError(option, value, 'is not a class', remedy);
  }).optional();
}
