/** A schema of OpenAPI 3.0. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** A named schema of an object, under `components` of the document. */
export interface Model {
  readonly name: string;
  readonly properties: Readonly<Record<string, Schema>>;
  /** Names of the properties that may be absent. */
  readonly optional?: readonly string[];
}

/** A parameter of a route. */
export interface Parameter {
  readonly in: 'header' | 'path' | 'query';
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  /** Whether the service refuses a request without this header. Always true of a part of the path. */
  readonly required?: boolean;
}

/** What the OpenAPI document of the app shows of a route. */
export interface RouteDescription {
  /** The name of the function in generated clients. */
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  /** The body of a POST. */
  readonly body?: Schema;
  /** The body of a response with status 200: one of these, which `outcome` tells apart. */
  readonly response: readonly [Model, ...Model[]];
}

/** Descriptions by the names of the methods of a controller. */
export type RouteDescriptions = Readonly<Record<string, RouteDescription>>;

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
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: 'object',
    properties,
    // An empty list is invalid in OpenAPI 3.0.
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Properties of a response that have a schema but no name of their own. */
export function objectOf(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) };
}
