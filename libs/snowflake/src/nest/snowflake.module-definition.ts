import type { ConfigurableModuleAsyncOptions, Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DEFAULT_INSTANCE } from '../core/ids/id-source-name.js';
import { requireBoolean } from '../core/options/option-checks.js';
import { Boot } from '../kit/nest/boot.js';
import { fromOptions } from '../kit/nest/deferred-options.js';
import { featureModule, withoutOptions } from '../kit/nest/feature-module.js';
import { Lifecycle } from '../kit/nest/lifecycle.js';
import { startedIdMaker } from './id-maker.provider.js';
import { LeaseRenewal } from './lease-renewal.js';
import type { SnowflakeModuleOptions } from './module-options.js';
import { getSnowflakeToken, INSTANCE_NAME, MAKER } from './snowflake.tokens.js';

/** A class that provides the options, for `forRootAsync({ useClass })` and `useExisting`. */
export interface SnowflakeOptionsFactory {
  createSnowflakeOptions(): SnowflakeModuleOptions | Promise<SnowflakeModuleOptions>;
}

/** Options next to `useFactory`, because they must be known before it runs. */
export interface SnowflakeModuleExtras {
  /**
   * Name of the instance, for `@InjectSnowflake(name)`. Inject the default instance by its class, `SnowflakeIdMaker`.
   * Bounds: 1 to 64 letters, digits, `_`, `.` or `-`.
   *
   * @defaultValue `'default'`
   */
  name?: string;
  /**
   * Whether every module can inject the ID maker without importing this module.
   *
   * @defaultValue `true`
   */
  isGlobal?: boolean;
}

/** What `forRootAsync` takes: the source of the options, and the extras. */
export type SnowflakeModuleAsyncOptions = ConfigurableModuleAsyncOptions<
  SnowflakeModuleOptions,
  'createSnowflakeOptions'
> &
  SnowflakeModuleExtras;

const OPTIONS = Symbol('nestjs-snowflake: options');

function instanceProviders(name: string): Provider[] {
  return [
    { provide: INSTANCE_NAME, useValue: name },
    // The token is the one that apps inject, so that a test that overrides it creates no ID maker here.
    fromOptions(OPTIONS, {
      provide: getSnowflakeToken(name),
      inject: [INSTANCE_NAME, ModulesContainer, Boot, Lifecycle],
      useFactory: startedIdMaker,
    }),
    { provide: MAKER, useExisting: getSnowflakeToken(name) },
  ];
}

/** Providers of a module that is imported without `forRoot()`, which overrides them. They make startup fail. */
export const WITHOUT_OPTIONS: Provider[] = [
  // No instance can have this name, so it can't clash with one.
  { provide: INSTANCE_NAME, useValue: '' },
  ...withoutOptions('SnowflakeModule', [MAKER]),
  Lifecycle,
  LeaseRenewal,
];

export const snowflakeFeature = featureModule<
  SnowflakeModuleOptions,
  'createSnowflakeOptions',
  SnowflakeModuleExtras
>({
  name: 'Snowflake',
  optionsToken: OPTIONS,
  factoryMethod: 'createSnowflakeOptions',
  extras: { name: DEFAULT_INSTANCE, isGlobal: true },
  remedy: 'Pass at least a store, e.g. { store: redisLeaseStore({ url, namespace }) }.',
  define: ({ name = DEFAULT_INSTANCE, isGlobal = true }) => ({
    global: requireBoolean('isGlobal', isGlobal),
    providers: instanceProviders(name),
    exports: [getSnowflakeToken(name)],
  }),
});
