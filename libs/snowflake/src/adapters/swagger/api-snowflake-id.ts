import {
  ApiParam,
  type ApiParamOptions,
  ApiProperty,
  type ApiPropertyOptions,
  ApiQuery,
  type ApiQueryOptions,
} from '@nestjs/swagger';
import { type IdCodec, requireCodec } from '../../core/codecs/id-codec.js';

/** An ID of the default layout, made at 2026-11-21T10:19:57.897Z. */
const EXAMPLE_ID = '382475217496248322';

/** The OpenAPI schema of an ID. Generated clients use a string, because a number would round the ID. */
export const SNOWFLAKE_ID_SCHEMA = Object.freeze({
  type: 'string',
  format: 'snowflake-id',
  pattern: '^(0|[1-9][0-9]{0,18})$',
  example: EXAMPLE_ID,
} as const);

/** The notation of the IDs in an API. */
export interface SnowflakeIdNotation {
  /**
   * The codec of the public ID, for a matching example and pattern.
   *
   * @defaultValue decimal digits
   */
  readonly codec?: IdCodec<string>;
}

/** Options of {@link ApiSnowflakeId}: those of `@ApiProperty()`, and the codec. */
export type ApiSnowflakeIdOptions = ApiPropertyOptions & SnowflakeIdNotation;

/**
 * Documents a property that holds an ID, or a list of IDs with `{ isArray: true }`. For an optional property, pass
 * `{ required: false }`.
 *
 * @throws InvalidOptionError if `codec` is not a codec
 * @example
 * ```ts
 * export class OrderDto {
 *   @ApiSnowflakeId({ codec: prefixedCodec('ord') }) id!: string; // for example "ord_0SFjugjHF10"
 *   @ApiSnowflakeId({ isArray: true }) productIds!: string[];
 * }
 * ```
 */
export function ApiSnowflakeId({ codec, ...options }: ApiSnowflakeIdOptions = {}): PropertyDecorator {
  return ApiProperty({ ...schemaOf(codec, options.isArray), ...options } as ApiPropertyOptions);
}

/** Documents an ID in the path: `@ApiSnowflakeIdParam('id')`. @throws InvalidOptionError */
export function ApiSnowflakeIdParam(
  name: string,
  { codec, ...options }: Omit<ApiParamOptions, 'name'> & SnowflakeIdNotation = {},
): MethodDecorator & ClassDecorator {
  return ApiParam({ ...options, name, schema: schemaOf(codec) } as ApiParamOptions);
}

/**
 * Documents an ID in the query, or a list of IDs with `{ isArray: true }`. Both forms of a list reach ParseSnowflakeIdPipe:
 * `?ids=1&ids=2` and `?ids=1,2`.
 *
 * @throws InvalidOptionError
 */
export function ApiSnowflakeIdQuery(
  name: string,
  {
    codec,
    isArray,
    ...options
  }: Omit<ApiQueryOptions, 'name'> & SnowflakeIdNotation & { readonly isArray?: boolean } = {},
): MethodDecorator & ClassDecorator {
  // For a list, @nestjs/swagger reads the schema of the items from the options themselves.
  const described = isArray ? { ...schemaOf(codec, true), isArray } : { schema: schemaOf(codec) };
  return ApiQuery({ ...options, ...described, name } as ApiQueryOptions);
}

function schemaOf(codec: IdCodec<string> | undefined, isArray: unknown = false): object {
  const schema = codec === undefined ? SNOWFLAKE_ID_SCHEMA : encodedSchema(requireCodec('codec', codec));
  return isArray === true ? { ...schema, example: [schema.example] } : schema;
}

function encodedSchema(codec: IdCodec<string>) {
  const { pattern } = codec;
  return { type: 'string', ...(pattern !== undefined && { pattern }), example: codec.encode(EXAMPLE_ID) };
}
