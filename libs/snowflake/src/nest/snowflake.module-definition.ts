import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type Provider,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DEFAULT_INSTANCE, requireBoolean } from '../core/index.js';
import { Boot } from './boot.js';
import { refuseToStart, startedIdMaker } from './id-maker.provider.js';
import type { SnowflakeModuleOptions } from './module-options.js';
import { OwnMaker } from './own-maker.js';
import { ScopeCheck } from './scope-check.js';
import { getSnowflakeToken, INSTANCE_NAME, MAKER } from './snowflake.tokens.js';

/** A class that provides the options, for `forRootAsync({ useClass })` and `useExisting`. */
export interface SnowflakeOptionsFactory {
  createSnowflakeOptions(): SnowflakeModuleOptions | Promise<SnowflakeModuleOptions>;
}

/** Options beside `useFactory`, which must be known before it runs. */
export interface SnowflakeModuleExtras {
  /**
   * Name of the instance, for `@InjectSnowflake(name)`.
   * Bounds: 1 to 64 letters, digits, `_`, `.` or `-`.
   *
   * You inject the instance with the default name by its class, `SnowflakeIdMaker`.
   *
   * @defaultValue `'default'`
   */
  name?: string;
  /**
   * Whether every module can inject the maker without importing this one.
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

/** Within a module: its options. */
export const OPTIONS = Symbol('nestjs-snowflake: options');

function instanceProviders(name: string): Provider[] {
  return [
    { provide: INSTANCE_NAME, useValue: name },
    // Under the token that apps inject, so that a test that overrides it makes no maker here.
    {
      provide: getSnowflakeToken(name),
      useFactory: startedIdMaker,
      inject: [OPTIONS, INSTANCE_NAME, ModulesContainer, Boot, OwnMaker],
    },
    { provide: MAKER, useExisting: getSnowflakeToken(name) },
    ScopeCheck,
  ];
}

/** Providers of a module that is imported without `forRoot()`, which overrides them. They refuse the boot. */
export const WITHOUT_OPTIONS: Provider[] = [
  // No instance can have this name, so it can't clash with one.
  { provide: INSTANCE_NAME, useValue: '' },
  { provide: MAKER, useFactory: refuseToStart, inject: [Boot] },
  OwnMaker,
];

export const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<SnowflakeModuleOptions>({
  moduleName: 'Snowflake',
  optionsInjectionToken: OPTIONS,
})
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createSnowflakeOptions')
  .setExtras<SnowflakeModuleExtras>({ name: DEFAULT_INSTANCE, isGlobal: true }, (definition, extras) => {
    const name = extras.name ?? DEFAULT_INSTANCE;
    return {
      ...definition,
      global: requireBoolean('isGlobal', extras.isGlobal ?? true),
      providers: [...(definition.providers ?? []), ...instanceProviders(name)],
      exports: [...(definition.exports ?? []), getSnowflakeToken(name)],
    };
  })
  .build();
