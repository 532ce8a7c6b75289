import type { DynamicModule, FactoryProvider, Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { bootOf } from './boot.js';
import { requireOptionsFactory } from './registration-checks.js';
import { type ASYNC_OPTIONS_TYPE, OPTIONS } from './snowflake.module-definition.js';

/** Makes the options a step of the boot: if they cannot be had, the other makers of the app stop. */
export function withCheckedOptions(
  definition: DynamicModule,
  { useFactory }: typeof ASYNC_OPTIONS_TYPE,
): DynamicModule {
  const checked = (provider: Provider): Provider => {
    if (!isOptionsProvider(provider)) return provider;
    return {
      ...provider,
      inject: [ModulesContainer, ...(provider.inject ?? [])],
      useFactory: (modules: ModulesContainer, ...given: unknown[]) =>
        bootOf(modules).step(() => {
          if (!useFactory) requireOptionsFactory(given[0]);
          return provider.useFactory(...given) as unknown;
        }),
    };
  };
  return { ...definition, providers: definition.providers?.map(checked) };
}

function isOptionsProvider(provider: Provider): provider is FactoryProvider {
  return 'provide' in provider && provider.provide === OPTIONS && 'useFactory' in provider;
}
