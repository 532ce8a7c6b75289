import { type DynamicModule, Module } from '@nestjs/common';
import { SnowflakeModule } from 'nestjs-snowflake';
import { SegmentModule } from 'nestjs-snowflake-segments';
import { SnowflakeServiceModule, type SnowflakeServiceExtras } from 'nestjs-snowflake-service';
import { SHUTDOWN_CONFIG, type ShutdownConfig } from '../../../shared/src/environment/server-environment.js';
import { Environment } from '../config/environment.js';
import { TokenFile } from '../tokens/token-file.js';
import { leaseStore, segmentStore } from './stores.js';

/** Generates IDs in each instance and numbers of each tag, and serves them, the leases and the claims. */
@Module({})
export class IdsModule {
  static forRoot(
    { ID_INSTANCES, SEGMENT_TAGS, LEAF_ADDRESSES }: Environment,
    grpc: SnowflakeServiceExtras['grpc'],
  ): DynamicModule {
    const numbers = SEGMENT_TAGS ? [segments(SEGMENT_TAGS)] : [];
    return {
      module: IdsModule,
      imports: [...ID_INSTANCES.map(instance), ...numbers, service({ leafAddresses: LEAF_ADDRESSES, grpc })],
    };
  }
}

function instance(name: string): DynamicModule {
  return SnowflakeModule.forRootAsync({
    name,
    inject: [Environment, SHUTDOWN_CONFIG],
    useFactory: (environment: Environment, { drainMs }: ShutdownConfig) => ({
      epoch: environment.EPOCH,
      store: leaseStore(environment, name),
      drainTimeoutMs: drainMs,
    }),
  });
}

function segments(tags: readonly string[]): DynamicModule {
  return SegmentModule.forRootAsync({
    tags,
    inject: [Environment, SHUTDOWN_CONFIG],
    useFactory: (environment: Environment, { drainMs }: ShutdownConfig) => ({
      store: segmentStore(environment),
      drainTimeoutMs: drainMs,
    }),
  });
}

function service(extras: SnowflakeServiceExtras): DynamicModule {
  return SnowflakeServiceModule.forRootAsync({
    ...extras,
    inject: [Environment, TokenFile, SHUTDOWN_CONFIG],
    useFactory: (environment: Environment, tokens: TokenFile, { drainMs }: ShutdownConfig) => ({
      authorize: tokens.authorize,
      leases: Object.fromEntries(
        environment.LEASE_NAMESPACES.map((name) => [name, leaseStore(environment, name)]),
      ),
      segments: environment.SEGMENT_NAMESPACE
        ? { [environment.SEGMENT_NAMESPACE]: segmentStore(environment) }
        : {},
      drainTimeoutMs: drainMs,
    }),
  });
}
