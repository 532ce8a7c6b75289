import type { Clock } from '../clock/clock.js';
import { InvalidOptionError } from '../errors/input-errors.js';
import { redact, showName, REDACTED } from '../errors/show-value.js';
import { nearestName } from './nearest-name.js';

const FROM_ENVIRONMENT = 'An environment variable is always text: convert it first.';

/** Returns `value` if it is a whole number within the bounds, both included. @throws InvalidOptionError */
export function requireWholeNumber(option: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const remedy = `Use a whole number from ${min} to ${max}.`;
  if (typeof value === 'string')
    throw new InvalidOptionError(option, value, 'is text, not a number', `${remedy} ${FROM_ENVIRONMENT}`);
  const problem = Number.isInteger(value) ? 'is out of bounds' : 'is not a whole number';
  throw new InvalidOptionError(option, value, problem, remedy);
}

/** Refuses what is not a time, above all NaN, which compares as neither below nor above a bound. @throws InvalidOptionError */
export function requireInstant(option: string, value: unknown): void {
  if (Number.isFinite(value)) return;
  throw new InvalidOptionError(option, value, 'is not a time', 'Pass Unix time in milliseconds.');
}

/** Returns `value` if it is one of `choices`. @throws InvalidOptionError */
export function requireChoice<Choice extends string>(
  option: string,
  value: unknown,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((known) => known === value);
  if (choice !== undefined) return choice;
  throw new InvalidOptionError(
    option,
    value,
    'is not a valid choice',
    `Use ${choices.map((name) => `'${name}'`).join(' or ')}.`,
  );
}

/** Returns `value` if it is an object. @throws InvalidOptionError */
export function requireObject(option: string, value: unknown, remedy: string): object {
  if (isObject(value)) return value;
  throw new InvalidOptionError(option, redact(value), 'must be an object', remedy);
}

/** Returns `value` if it has all of the methods. @throws InvalidOptionError */
export function requireMethods<Given extends object>(
  option: string,
  value: Given,
  methods: readonly (keyof Given & string)[],
  remedy: string,
): Given {
  if (isObject(value) && methods.every((name) => typeof Reflect.get(value, name) === 'function'))
    return value;
  const listed = methods.map((name) => `${name}()`).join(', ');
  throw new InvalidOptionError(option, redact(value), `must have ${listed}`, remedy);
}

/** Returns `clock` if it is one. @throws InvalidOptionError */
export function requireClock<Given extends Pick<Clock, 'now'>>(
  option: string,
  clock: Given,
  methods: readonly (keyof Given & string)[],
): Given {
  return requireMethods(option, clock, methods, 'Leave it out to use the system clock.');
}

/** Returns `value` if it is a function. @throws InvalidOptionError */
export function requireFunction<Given extends (...given: never[]) => unknown>(
  option: string,
  value: Given,
): Given {
  if (typeof value === 'function') return value;
  throw new InvalidOptionError(option, value, 'is not a function', 'Pass a function.');
}

/** Returns `value` if it is a boolean. @throws InvalidOptionError */
export function requireBoolean(option: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const remedy = 'Use true or false.';
  if (typeof value === 'string')
    throw new InvalidOptionError(option, value, 'is text, not a boolean', `${remedy} ${FROM_ENVIRONMENT}`);
  throw new InvalidOptionError(option, value, 'is not a boolean', remedy);
}

/**
 * Refuses a value that is not an object of options, and unknown names. Ignoring a misspelt option would start the
 * namespace with another layout than intended.
 *
 * @param known an object with the names of the options, so that the compiler checks that none is missing
 * @param elsewhere options of other groups that users put here by mistake, e.g. `lease.windowMs`
 * @throws InvalidOptionError
 */
export function requireOptions(
  group: string,
  value: unknown,
  known: Readonly<Record<string, unknown>>,
  elsewhere: readonly string[] = [],
): void {
  const names = Object.keys(known);
  if (!isObject(value)) {
    // People pass the URL or the key itself.
    throw new InvalidOptionError(group, redact(value), 'must be an object', validOptions(names));
  }
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(known, name)) throw unknownOption(group, name, names, elsewhere);
  }
}

function unknownOption(
  group: string,
  name: string,
  known: readonly string[],
  elsewhere: readonly string[],
): InvalidOptionError {
  const prefix = group === 'options' ? '' : `${group}.`;
  const option = prefix + showName(name);
  const candidates = [...known.map((each) => prefix + each), ...elsewhere];
  const nearest = showName(name) === name ? nearestName(name, candidates) : undefined;
  const hint = nearest === undefined ? '' : `Did you mean "${nearest}"? `;
  const remedy = hint + validOptions(known);
  const message = `Unknown option "${option}". ${remedy}`;
  return new InvalidOptionError(option, REDACTED, 'is not an option', remedy, message);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function validOptions(names: readonly string[]): string {
  return `Valid options: ${names.join(', ')}.`;
}
