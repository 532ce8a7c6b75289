import { visible } from 'nestjs-snowflake/core';
import { showValue } from 'nestjs-snowflake/internal/core/errors/show-value';
import { invalidRequest } from './request-refusal.js';

type Kind = 'text' | 'number' | 'boolean' | 'list' | 'object';

const TESTS: Readonly<Record<Kind, readonly [test: (value: unknown) => boolean, description: string]>> = {
  text: [(value) => typeof value === 'string', 'a string'],
  number: [(value) => Number.isSafeInteger(value), 'a whole number'],
  boolean: [(value) => typeof value === 'boolean', 'true or false'],
  list: [Array.isArray, 'a list'],
  object: [(value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'an object'],
};

/** Names and kinds of the fields of an object; `?` marks those that may be absent. */
export type FieldKinds = Readonly<Record<string, Kind | `${Kind}?`>>;

/**
 * Returns the object if it has these fields and no others. Their bounds are checked where they are used.
 *
 * @param name the name of the object in messages to the client
 * @throws RequestRefusal
 */
export function requireFields<Fields extends object>(
  name: string,
  given: unknown,
  kinds: FieldKinds,
): Fields {
  const [isObject] = TESTS.object;
  if (!isObject(given)) throw invalidRequest(`The ${name} is not a JSON object.`);
  const values = given as Readonly<Record<string, unknown>>;
  for (const field of Object.keys(values)) {
    if (!Object.hasOwn(kinds, field)) throw invalidRequest(unknownField(name, field, Object.keys(kinds)));
  }
  for (const [field, kind] of Object.entries(kinds)) {
    const value = Object.hasOwn(values, field) ? values[field] : undefined;
    const mayBeAbsent = kind.endsWith('?');
    if (mayBeAbsent && value === undefined) continue;
    const [test, description] = TESTS[(mayBeAbsent ? kind.slice(0, -1) : kind) as Kind];
    if (!test(value)) throw invalidRequest(`${field} of the ${name} is not ${description}.`);
  }
  return given as Fields;
}

/** Shows no more of the name than an error shows of a value: it is text of the client. */
function unknownField(name: string, field: string, known: readonly string[]): string {
  return `The ${name} has the field ${visible(showValue(field))}, which the protocol doesn't have. It has: ${known.join(', ')}.`;
}
