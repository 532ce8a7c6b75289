import { InvalidOptionError } from './errors.js';
import { concealed, showName, UNSHOWN } from './errors/show-value.js';

/** Returns `value` if it is a whole number within the bounds, both included. @throws InvalidOptionError */
export function requireWholeNumber(option: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new InvalidOptionError(
    option,
    value,
    'is out of bounds',
    `Use a whole number from ${min} to ${max}.`,
  );
}

/** NaN, above all, is refused: it is below no bound. @throws InvalidOptionError */
export function requireInstant(option: string, value: unknown): void {
  if (Number.isFinite(value)) return;
  throw new InvalidOptionError(option, value, 'is no instant', 'Pass Unix time in milliseconds.');
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
    'is no policy',
    `Use ${choices.map((name) => `'${name}'`).join(' or ')}.`,
  );
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
  throw new InvalidOptionError(option, value, 'is no boolean', 'Use true or false.');
}

/**
 * Refuses what is no object of options, and names that are none: a misspelt option would otherwise be an option left
 * out, and a namespace would start with another layout than was meant.
 *
 * @param known the names of the options; an object, so that the compiler can check that none is missing
 * @throws InvalidOptionError
 */
export function requireOptions(group: string, value: unknown, known: Readonly<Record<string, true>>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    // People pass the URL or the key itself.
    throw new InvalidOptionError(
      group,
      concealed(value),
      'must be an object of options',
      `It has ${listed(known)}.`,
    );
  }
  const prefix = group === 'options' ? '' : `${group}.`;
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(known, name)) continue;
    throw new InvalidOptionError(
      prefix + showName(name),
      UNSHOWN,
      'is no option',
      `Look for a misspelling; there are ${listed(known)}.`,
    );
  }
}

function listed(known: Readonly<Record<string, true>>): string {
  return Object.keys(known).join(', ');
}
