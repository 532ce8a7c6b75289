import { visible } from 'nestjs-snowflake/core';
import { showValue } from 'nestjs-snowflake/internal/core/errors/show-value';
import { invalidRequest } from './request-refusal.js';
import type { IntegerSchema, ListSchema, ObjectSchema, Schema } from 'nestjs-snowflake/internal/kit/schema';
import { FORMS } from './tag-schema.js';

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** By the type in a schema: what a value must be. */
const TYPES: Readonly<Record<string, readonly [test: (value: unknown) => boolean, description: string]>> = {
  string: [(value) => typeof value === 'string', 'a string'],
  integer: [(value) => Number.isSafeInteger(value), 'a whole number'],
  boolean: [(value) => typeof value === 'boolean', 'true or false'],
  array: [Array.isArray, 'a list'],
  object: [isObject, 'an object'],
};

/**
 * Returns the object if it has the fields of a schema, each of its type, and no others. {@link requireBounds} refuses values.
 *
 * @param name the name of the object in messages to the client
 * @throws RequestRefusal
 */
export function requireFields<Fields extends object>(
  name: string,
  given: unknown,
  { properties, required = [] }: ObjectSchema,
): Fields {
  if (!isObject(given)) throw invalidRequest(`The ${name} is not a JSON object.`);
  const values = given as Readonly<Record<string, unknown>>;
  for (const field of Object.keys(values)) {
    if (!Object.hasOwn(properties, field))
      throw invalidRequest(unknownField(name, field, Object.keys(properties)));
  }
  for (const [field, { type }] of Object.entries(properties)) {
    const value = Object.hasOwn(values, field) ? values[field] : undefined;
    if (value === undefined && !required.includes(field)) continue;
    const [test, description] = TYPES[String(type)] ?? [() => false, 'of a known type'];
    if (!test(value)) throw invalidRequest(`${field} of the ${name} is not ${description}.`);
  }
  return given as Fields;
}

/** Shows no more of the name than an error shows of a value: it is text of the client. */
function unknownField(name: string, field: string, known: readonly string[]): string {
  return `The ${name} has the field ${visible(showValue(field))}, which the protocol doesn't have. It has: ${known.join(', ')}.`;
}

/** Refuses fields whose values are out of the bounds of their schemas. @throws RequestRefusal */
export function requireBounds(values: object, { properties }: ObjectSchema): void {
  for (const [field, schema] of Object.entries(properties)) {
    const value: unknown = Reflect.get(values, field);
    if (value !== undefined) requireWithin(field, value, schema);
  }
}

/** Refuses a value out of the bounds of its schema. @throws RequestRefusal */
export function requireWithin(field: string, value: unknown, schema: Schema): void {
  if (schema['type'] === 'integer') return requireInteger(field, value, schema as IntegerSchema);
  if (Array.isArray(value)) return requireList(field, value, schema as ListSchema);
  const { maxLength = Infinity } = schema as { readonly maxLength?: number };
  if (typeof value === 'string' && value.length > maxLength)
    throw invalidRequest(`${field} has more than ${maxLength} characters.`);
  if (!hasForm(value, schema)) throw invalidRequest(`${field} is not ${formOf(schema)}.`);
}

function requireInteger(field: string, value: unknown, { minimum, maximum }: IntegerSchema): void {
  if (Number.isSafeInteger(value) && isIn(Number(value), minimum, maximum)) return;
  throw invalidRequest(`${field} is not a whole number from ${minimum} to ${maximum}.`);
}

function requireList(field: string, values: readonly unknown[], schema: ListSchema): void {
  const { items, minItems = 0, maxItems = Infinity } = schema as ListSchema & ListBounds;
  if (!isIn(values.length, minItems, maxItems))
    throw invalidRequest(`${field} does not have ${minItems} to ${maxItems} entries.`);
  if (!values.every((value) => hasForm(value, items)))
    throw invalidRequest(`${field} has a value that is not ${formOf(items)}.`);
}

interface ListBounds {
  readonly minItems?: number;
  readonly maxItems?: number;
}

function isIn(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

function hasForm(value: unknown, { pattern }: Schema): boolean {
  return typeof pattern !== 'string' || (typeof value === 'string' && new RegExp(pattern).test(value));
}

function formOf({ pattern }: Schema): string {
  return FORMS.get(pattern) ?? `text of the form ${String(pattern)}`;
}
