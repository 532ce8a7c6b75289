import { type OnModuleInit, type Provider, Scope } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { Boot } from './boot.js';

const SCOPE_CHECK = Symbol('nestjs-snowflake: scope check');

/**
 * Returns a provider that refuses options that are made per request. Each request would make anew what the module provides, such
 * as a lease of a worker ID, and nothing would stop it: Nest calls no hooks of request-scoped providers.
 */
export function scopeCheck(optionsToken: symbol): Provider {
  return {
    provide: SCOPE_CHECK,
    useFactory: (moduleRef: ModuleRef, boot: Boot): OnModuleInit => ({
      onModuleInit: () => boot.step(() => requireSingleton(moduleRef, optionsToken)),
    }),
    inject: [ModuleRef, Boot],
  };
}

/** @throws InvalidOptionError */
function requireSingleton(moduleRef: ModuleRef, optionsToken: symbol): void {
  const { scope } = moduleRef.introspect(optionsToken);
  if (scope === Scope.DEFAULT) return;
  throw new InvalidOptionError(
    'inject',
    Scope[scope].toLowerCase(),
    'names a provider that is not a singleton, so every request would make its own worker ID or segments',
    'Make the options from singletons, such as ConfigService.',
  );
}
