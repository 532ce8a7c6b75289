/** A JSON schema in the words of OpenAPI 3.0. The service documents its fields by it, and checks them; the remote stores read by it. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

export interface IntegerSchema extends Schema {
  readonly type: 'integer';
  readonly minimum: number;
  readonly maximum: number;
}

export interface TextSchema extends Schema {
  readonly type: 'string';
}

export interface ListSchema extends Schema {
  readonly type: 'array';
  readonly items: Schema;
}

export interface ObjectSchema extends Schema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A whole number that a JSON number holds exactly. */
export function integer(minimum: number, maximum: number, description?: string): IntegerSchema {
  return { type: 'integer', format: 'int64', minimum, maximum, ...(description && { description }) };
}

export function text(description?: string): TextSchema {
  return { type: 'string', ...(description && { description }) };
}

/** One of these texts. */
export function oneOfTexts(...values: readonly string[]): TextSchema {
  return { type: 'string', enum: values };
}

export function list(items: Schema, bounds: Schema = {}): ListSchema {
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
export function objectOf(properties: Readonly<Record<string, Schema>>): ObjectSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}
