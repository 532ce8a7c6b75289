import { type DynamicModule, Module } from '@nestjs/common';
import { SnowflakeModule } from 'nestjs-snowflake';
import { SnowflakeServiceModule } from 'nestjs-snowflake-service';
import { SHUTDOWN_CONFIG, type ShutdownConfig } from '../../../shared/src/environment/server-environment.js';
import { Environment } from '../config/environment.js';
import { TokenFile } from '../tokens/token-file.js';
import { leaseStore } from './lease-store.js';

/** Makes IDs in each instance, and serves them and the leases. */
@Module({})
export class IdsModule {
  static forRoot({ ID_INSTANCES }: Environment): DynamicModule {
    return { module: IdsModule, imports: [...ID_INSTANCES.map(instance), service()] };
  }
}

function instance(name: string): DynamicModule {
  return SnowflakeModule.forRootAsync({
    name,
    inject: [Environment, SHUTDOWN_CONFIG],
    useFactory: (environment: Environment, { drainMs }: ShutdownConfig) => ({
      epoch: environment.EPOCH,
      store: leaseStore(environment, name),
      // An empty store is either new or has lost its leases. In production, it's safe to wait until all of them have ended.
      lease: {
        possibleLoss: environment.NODE_ENV === 'production' ? ('wait' as const) : ('ignore' as const),
      },
      drainTimeoutMs: drainMs,
    }),
  });
}

function service(): DynamicModule {
  return SnowflakeServiceModule.forRootAsync({
    inject: [Environment, TokenFile, SHUTDOWN_CONFIG],
    useFactory: (environment: Environment, tokens: TokenFile, { drainMs }: ShutdownConfig) => ({
      authorize: tokens.authorize,
      leases: Object.fromEntries(
        environment.LEASE_NAMESPACES.map((name) => [name, leaseStore(environment, name)]),
      ),
      drainTimeoutMs: drainMs,
    }),
  });
}
