import type { Schema } from 'nestjs-snowflake/internal/kit/schema';

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
  readonly response: readonly Model[];
}

/** Descriptions by the names of the methods of a controller. */
export type RouteDescriptions = Readonly<Record<string, RouteDescription>>;
