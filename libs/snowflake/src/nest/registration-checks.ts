import { InvalidOptionError } from '../core/index.js';

/** What `forRootAsync` can take the options from. */
const SOURCES = ['useFactory', 'useClass', 'useExisting'] as const;

/** @throws InvalidOptionError */
export function requireRootOptions(options: unknown): void {
  if (isObject(options)) return;
  throw new InvalidOptionError(
    'forRoot(options)',
    options,
    'is no object of options',
    'Pass at least a store, e.g. { store: redisLeaseStore({ url, namespace }) }.',
  );
}

/** @throws InvalidOptionError */
export function requireAsyncOptions(options: unknown): void {
  if (isObject(options) && SOURCES.some((source) => Boolean(Reflect.get(options, source)))) return;
  throw new InvalidOptionError(
    'forRootAsync(options)',
    options,
    'has no source of the options',
    `Pass an object with one of ${SOURCES.join(', ')}.`,
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
