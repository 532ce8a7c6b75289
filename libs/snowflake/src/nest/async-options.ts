import type { DynamicModule, FactoryProvider, Provider } from '@nestjs/common';
import { Boot } from './boot.js';
import type { DeferredOptions, SnowflakeModuleOptions } from './module-options.js';
import { requireOptionsFactory } from './registration-checks.js';
import { type SnowflakeModuleAsyncOptions, OPTIONS } from './snowflake.module-definition.js';

/**
 * Defers the options until the maker is made, so that a test that overrides it needs no settings. They are then made in a boot
 * step: if that fails, the other makers of the app stop.
 */
export function withCheckedOptions(
  definition: DynamicModule,
  { useFactory }: SnowflakeModuleAsyncOptions,
): DynamicModule {
  const checked = (provider: Provider): Provider => {
    if (!isOptionsProvider(provider)) return provider;
    return {
      ...provider,
      inject: [Boot, ...(provider.inject ?? [])],
      useFactory:
        (boot: Boot, ...given: unknown[]): DeferredOptions =>
        () =>
          boot.step(() => {
            if (!useFactory) requireOptionsFactory(given[0]);
            return provider.useFactory(...given) as SnowflakeModuleOptions;
          }),
    };
  };
  return { ...definition, providers: definition.providers?.map(checked) };
}

function isOptionsProvider(provider: Provider): provider is FactoryProvider {
  return 'provide' in provider && provider.provide === OPTIONS && 'useFactory' in provider;
}
