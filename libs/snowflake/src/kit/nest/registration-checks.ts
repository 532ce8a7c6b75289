import { redact } from '../../core/errors/show-value.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { requireOptions } from '../../core/options/option-checks.js';

/** What `forRootAsync` can take the options from. */
const SOURCES = ['useFactory', 'useClass', 'useExisting'] as const;

/** What Nest allows in the `forRootAsync` of every module. */
const NEST_OPTIONS = {
  useFactory: true,
  useClass: true,
  useExisting: true,
  imports: true,
  inject: true,
  provideInjectionTokensFrom: true,
} as const;

/** Whether an argument of `forRootAsync` has a source of options. */
export function hasSource(options: object): boolean {
  return SOURCES.some((source) => Boolean(Reflect.get(options, source)));
}

/**
 * Checks the argument of `forRootAsync`.
 *
 * @param factoryMethod the method of a class that provides the options
 * @param extras names of the options next to the source
 * @throws InvalidOptionError
 */
export function requireAsyncOptions(
  options: object,
  factoryMethod: string,
  extras: Readonly<Record<string, true>>,
): void {
  if (!isObject(options) || !hasSource(options)) {
    throw new InvalidOptionError(
      'forRootAsync(options)',
      redact(options),
      'has no source of the options',
      `Pass an object with one of ${SOURCES.join(', ')}.`,
    );
  }
  requireOptions('options', options, { ...NEST_OPTIONS, ...extras });
  const { useFactory, useClass, useExisting, inject } = options as Record<string, unknown>;
  requireType('useFactory', useFactory, ['function'], 'Pass a function that returns the options.');
  requireType('useClass', useClass, ['function'], `Pass a class with the method ${factoryMethod}().`);
  requireType(
    'useExisting',
    useExisting,
    ['function', 'string', 'symbol'],
    `Pass the class or token of a provider with the method ${factoryMethod}().`,
  );
  if (inject === undefined || Array.isArray(inject)) return;
  throw new InvalidOptionError('inject', inject, 'must be an array', 'Pass an array of classes or tokens.');
}

/** Checks the provider that `useClass` or `useExisting` names, once it exists. @throws InvalidOptionError */
export function requireOptionsFactory(factory: unknown, factoryMethod: string): void {
  if (isObject(factory) && typeof Reflect.get(factory, factoryMethod) === 'function') return;
  throw new InvalidOptionError(
    'useClass or useExisting',
    isObject(factory) ? factory.constructor?.name : factory,
    `must have the method ${factoryMethod}()`,
    'Add the method to the class.',
  );
}

/** Checks what a source of options has returned. @throws InvalidOptionError */
export function requireReturnedOptions(options: unknown): void {
  if (isObject(options)) return;
  const remedy = 'Return an object from useFactory.';
  throw new InvalidOptionError('options', redact(options), 'are missing', remedy);
}

function requireType(option: string, value: unknown, types: readonly string[], remedy: string): void {
  if (!value || types.includes(typeof value)) return;
  throw new InvalidOptionError(option, redact(value), `must be a ${types.join(' or ')}`, remedy);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
