/** A schema of OpenAPI 3.0. The document shows it, and the service checks requests with it. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** A schema of an object that the service refuses if it has other properties. */
export interface ObjectSchema extends Schema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A whole number that a JSON number holds exactly. */
export function integer(minimum: number, maximum: number, description?: string): Schema {
  return { type: 'integer', format: 'int64', minimum, maximum, ...(description && { description }) };
}

export function text(description?: string): Schema {
  return { type: 'string', ...(description && { description }) };
}

/** The one value that tells a model from others. */
export function constant(value: string): Schema {
  return { type: 'string', enum: [value] };
}

export function list(items: Schema, bounds: Schema = {}): Schema {
  return { type: 'array', items, ...bounds };
}

/** An object that the service refuses if it has other properties. */
export function strictObject(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): ObjectSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: 'object',
    properties,
    // An empty list is invalid in OpenAPI 3.0.
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Properties of a response whose schema has no name. */
export function objectOf(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** The name of a tag. */
export const TAG: Schema = { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' };
/** The token of a segment, as the column for it holds one. */
export const TOKEN: Schema = { type: 'string', pattern: '^[\\x20-\\x7e]{1,64}$' };

/** What messages to a client call the patterns above. */
export const FORMS: ReadonlyMap<unknown, string> = new Map([
  [TAG['pattern'], '1 to 128 letters, digits, "_", ".", ":" or "-"'],
  [TOKEN['pattern'], '1 to 64 printable ASCII characters'],
]);
