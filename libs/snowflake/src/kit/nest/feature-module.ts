import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type DynamicModule,
  type InjectionToken,
  type OnModuleInit,
  type Provider,
  Scope,
  type Type,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { requireObject } from '../../core/options/option-checks.js';
import { Boot } from './boot.js';
import { withDeferredOptions } from './deferred-options.js';
import { requireAsyncOptions, requireOptionsFactory } from './registration-checks.js';

const SCOPE_CHECK = Symbol('nestjs-snowflake: scope check');

/** What is particular to one of the modules. */
export interface Feature<Method extends string, Extras extends object> {
  /** The module's name without `Module`. */
  readonly name: string;
  /** Provides the options, which {@link fromOptions} passes to a factory. */
  readonly optionsToken: symbol;
  /** The method of a class that provides the options. */
  readonly factoryMethod: Method;
  /** The options next to `useFactory`, which must be known before it runs, with their defaults. */
  readonly extras: { readonly [Name in keyof Required<Extras>]: Extras[Name] | undefined };
  /** What to pass to `forRoot()`, as a sentence. */
  readonly remedy: string;
  /** What the module adds to its definition. */
  readonly define: (extras: Extras) => Omit<DynamicModule, 'module' | 'imports'>;
}

/** Makes the definitions of a module. */
export interface FeatureModule<Options extends object, Method extends string, Extras extends object> {
  /** @throws InvalidOptionError if `options` is not an object, or an extra is invalid */
  forRoot(module: Type, options: Options & Extras): DynamicModule;
  /** @throws InvalidOptionError if no source of options is given, or an option next to it is invalid */
  forRootAsync(
    module: Type,
    options: ConfigurableModuleAsyncOptions<Options, Method> & Extras,
  ): DynamicModule;
}

/**
 * Returns `forRoot` and `forRootAsync` of a module, on Nest's ConfigurableModuleBuilder. Both check their argument, and defer
 * the options to a boot step. The module imports {@link BootModule}.
 */
export function featureModule<Options extends object, Method extends string, Extras extends object>(
  feature: Feature<Method, Extras>,
): FeatureModule<Options, Method, Extras> {
  const { name, optionsToken, factoryMethod, extras, remedy, define } = feature;
  const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<Options>({
    moduleName: name,
    optionsInjectionToken: optionsToken,
  })
    .setClassMethodName('forRoot')
    .setFactoryMethodName(factoryMethod)
    .setExtras<Extras>(extras as Extras, (definition, given) => {
      const { providers = [], exports = [], ...others } = define(given);
      return {
        ...definition,
        ...others,
        providers: [...(definition.providers ?? []), ...providers, scopeCheck(optionsToken)],
        exports: [...(definition.exports ?? []), ...exports],
      };
    })
    .build();
  const extraNames = Object.fromEntries(Object.keys(extras).map((each) => [each, true as const]));
  const completed = (
    definition: DynamicModule,
    module: Type,
    check: (...given: readonly unknown[]) => void,
  ): DynamicModule => ({
    ...definition,
    module,
    providers: withDeferredOptions(definition.providers ?? [], optionsToken, check),
  });
  return {
    forRoot(module, options) {
      requireObject('forRoot(options)', options, remedy);
      return completed(ConfigurableModuleClass.forRoot(options), module, () => undefined);
    },
    forRootAsync(module, options) {
      requireAsyncOptions(options, factoryMethod, extraNames);
      return completed(ConfigurableModuleClass.forRootAsync(options), module, (factory) => {
        if (!options.useFactory) requireOptionsFactory(factory, factoryMethod);
      });
    },
  };
}

/**
 * Returns a provider that refuses options that are made per request. Each request would make anew what the module provides, such
 * as a lease of a worker ID, and nothing would stop it: Nest calls no hooks of request-scoped providers.
 */
function scopeCheck(optionsToken: symbol): Provider {
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
    'names a provider that is not a singleton, so every request would lease its own worker ID or claim its own segments',
    'Inject only singletons, such as ConfigService.',
  );
}

/**
 * Returns providers of a module that is imported without `forRoot()`, which overrides them. They make startup fail.
 *
 * @param tokens what the module class injects
 */
export function withoutOptions(module: string, tokens: readonly InjectionToken[]): Provider[] {
  const refuse = (boot: Boot): Promise<never> =>
    boot.step(() => {
      throw new InvalidOptionError(
        'imports',
        module,
        'lists the class itself, without options',
        `Import ${module}.forRoot({ … }) or forRootAsync({ … }), once, in the root module.`,
      );
    });
  return tokens.map((provide) => ({ provide, useFactory: refuse, inject: [Boot] }));
}
