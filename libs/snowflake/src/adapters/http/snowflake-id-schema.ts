import type { ClientIdOptions } from '../../core/client-ids/client-id-options.js';
import { ClientIdReader } from '../../core/client-ids/client-id-reader.js';

/**
 * The part of [Standard Schema](https://standardschema.dev) version 1 that a schema of an ID implements. The package of the
 * standard contains only types, so this copy saves a dependency.
 */
export interface SnowflakeIdSchema<Encoded extends string = string> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'nestjs-snowflake';
    readonly validate: (
      value: unknown,
    ) => { readonly value: string } | { readonly issues: readonly { readonly message: string }[] };
    readonly types?: { readonly input: Encoded; readonly output: string };
  };
}

/**
 * Returns a schema of an ID for every library that reads Standard Schema, such as StandardSchemaValidationPipe of Nest 12.
 * Its output is the ID in decimal digits. For zod and valibot, see
 * "Validation" in the documentation.
 *
 * @throws InvalidOptionError if an option is invalid
 * @example
 * ```ts
 * findOne(@Param('id', { schema: snowflakeIdSchema() }) id: string): Promise<Order> {
 *   return this.orders.findOneByOrFail({ id });
 * }
 * ```
 */
export function snowflakeIdSchema<Encoded extends string = string>(
  options: ClientIdOptions<Encoded> = {},
): SnowflakeIdSchema<Encoded> {
  const reader = ClientIdReader.of(options);
  const validate = (value: unknown): ReturnType<SnowflakeIdSchema['~standard']['validate']> => {
    const { id, problem } = reader.read(value);
    return problem === undefined
      ? { value: id }
      : { issues: [{ message: reader.message('The value', problem) }] };
  };
  return Object.freeze({ '~standard': Object.freeze({ version: 1, vendor: 'nestjs-snowflake', validate }) });
}
