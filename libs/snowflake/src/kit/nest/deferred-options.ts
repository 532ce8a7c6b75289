import type { FactoryProvider, InjectionToken, Provider } from '@nestjs/common';
import { Boot } from './boot.js';
import { requireReturnedOptions } from './registration-checks.js';

/** Makes the options of a module at the first call, and returns the same ones to later calls. */
export type DeferredOptions<Options> = () => Promise<Options>;

/**
 * Defers the options until what needs them is made: an app whose test overrides it needs no settings. They are then made in a
 * boot step, so that what has started by then is undone if they can't be made.
 *
 * @param providers those of Nest's ConfigurableModuleBuilder
 * @param check of the arguments of the provider's factory
 */
export function withDeferredOptions(
  providers: readonly Provider[],
  token: InjectionToken,
  check: (...given: readonly unknown[]) => void,
): Provider[] {
  return providers.map((provider) => {
    if (!('provide' in provider) || provider.provide !== token) return provider;
    if ('useValue' in provider) return { provide: token, useValue: async () => provider.useValue as unknown };
    return 'useFactory' in provider ? withDeferredFactory(provider, check) : provider;
  });
}

function withDeferredFactory(
  provider: FactoryProvider,
  check: (...given: readonly unknown[]) => void,
): FactoryProvider<DeferredOptions<unknown>> {
  return {
    ...provider,
    inject: [Boot, ...(provider.inject ?? [])],
    useFactory: (boot: Boot, ...given: unknown[]) => {
      let made: Promise<unknown> | undefined;
      const make = async (): Promise<unknown> => {
        check(...given);
        const options: unknown = await provider.useFactory(...given);
        requireReturnedOptions(options);
        return options;
      };
      return () => (made ??= boot.step(make));
    },
  };
}

/** A provider that a module makes of its options, and of what it injects. */
interface ProviderOfOptions<Options> extends Pick<FactoryProvider, 'provide' | 'inject'> {
  readonly useFactory: (options: Options, ...injected: never[]) => unknown;
}

/** Returns a provider whose factory gets the options first, and runs in a boot step. */
export function fromOptions<Options>(
  optionsToken: InjectionToken,
  { provide, inject = [], useFactory }: ProviderOfOptions<Options>,
): FactoryProvider {
  return {
    provide,
    inject: [optionsToken, Boot, ...inject],
    useFactory: async (optionsOf: DeferredOptions<Options>, boot: Boot, ...injected: never[]) => {
      // This precedes the step below, because nothing may start if startup fails meanwhile.
      const options = await optionsOf();
      return boot.step(() => useFactory(options, ...injected));
    },
  };
}
