import { redact } from '../core/errors/show-value.js';
import { InvalidOptionError, requireOptions } from '../core/index.js';
import type { SnowflakeModuleAsyncOptions, SnowflakeOptionsFactory } from './snowflake.module-definition.js';

const FACTORY_METHOD = 'createSnowflakeOptions' satisfies keyof SnowflakeOptionsFactory;

/** What `forRootAsync` can take the options from. */
const SOURCES = ['useFactory', 'useClass', 'useExisting'] as const;

/** What Nest allows in `forRootAsync`, and the extras of this module. */
const ASYNC_OPTIONS = {
  useFactory: true,
  useClass: true,
  useExisting: true,
  imports: true,
  inject: true,
  provideInjectionTokensFrom: true,
  name: true,
  isGlobal: true,
} satisfies Record<keyof SnowflakeModuleAsyncOptions, true>;

/** @throws InvalidOptionError */
export function requireRootOptions(options: unknown): void {
  if (isObject(options)) return;
  throw new InvalidOptionError(
    'forRoot(options)',
    redact(options),
    'must be an object',
    'Pass at least a store, e.g. { store: redisLeaseStore({ url, namespace }) }.',
  );
}

/** @throws InvalidOptionError */
export function requireAsyncOptions(options: unknown): void {
  if (!isObject(options) || !SOURCES.some((source) => Boolean(Reflect.get(options, source)))) {
    throw new InvalidOptionError(
      'forRootAsync(options)',
      redact(options),
      'must say where the options come from',
      `Pass an object with one of ${SOURCES.join(', ')}.`,
    );
  }
  requireOptions('options', options, ASYNC_OPTIONS);
  const { useFactory, useClass, useExisting, inject } = options as Record<string, unknown>;
  requireType('useFactory', useFactory, ['function'], 'Pass a function that returns the options.');
  requireType('useClass', useClass, ['function'], `Pass a class with the method ${FACTORY_METHOD}().`);
  requireType(
    'useExisting',
    useExisting,
    ['function', 'string', 'symbol'],
    `Pass the class or token of a provider with the method ${FACTORY_METHOD}().`,
  );
  if (inject === undefined || Array.isArray(inject)) return;
  throw new InvalidOptionError('inject', inject, 'must be an array', 'Pass an array of classes or tokens.');
}

/** Checks the provider that `useClass` or `useExisting` names, once it exists. @throws InvalidOptionError */
export function requireOptionsFactory(factory: unknown): void {
  if (isObject(factory) && typeof Reflect.get(factory, FACTORY_METHOD) === 'function') return;
  const given = isObject(factory) ? factory.constructor?.name : factory;
  throw new InvalidOptionError(
    'useClass or useExisting',
    given,
    `must have the method ${FACTORY_METHOD}()`,
    'Let the class implement SnowflakeOptionsFactory.',
  );
}

function requireType(option: string, value: unknown, types: readonly string[], remedy: string): void {
  if (!value || types.includes(typeof value)) return;
  throw new InvalidOptionError(option, redact(value), `must be a ${types.join(', ')}`, remedy);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
