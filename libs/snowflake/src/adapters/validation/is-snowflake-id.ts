import { Transform, type TransformFnParams } from 'class-transformer';
import { ValidateBy, type ValidationArguments, type ValidationOptions } from 'class-validator';
import type { ClientIdOptions } from '../../core/client-ids/client-id-options.js';
import { ClientIdReader } from '../../core/client-ids/client-id-reader.js';
import { isListOfIds, notAList } from './list-of-ids.js';

/** Options of {@link IsSnowflakeId}: those of client IDs, and those of every decorator of class-validator. */
export interface IsSnowflakeIdOptions extends ClientIdOptions, ValidationOptions {}

/**
 * Validates a property that holds an ID, or a list of IDs with `{ each: true }`.
 *
 * Refuses JSON numbers, which arrive rounded. Under `enableImplicitConversion` class-transformer would turn a rounded number
 * into a string first, so the decorator gives the validator the number as it was sent. With `each`, refuses a value that is not a list.
 *
 * @throws InvalidOptionError at class definition, if an option is invalid
 * @example
 * ```ts
 * export class CreateOrderDto {
 *   @IsSnowflakeId() customerId!: string;
 *   @IsSnowflakeId({ each: true, maxAheadMs: 60_000 }) productIds!: string[];
 * }
 * ```
 */
export function IsSnowflakeId(options: IsSnowflakeIdOptions = {}): PropertyDecorator {
  const { each, message, groups, always, context, ...client } = options;
  const reader = ClientIdReader.of(client);
  const validation: ValidationOptions = definedOnly({ each, message, groups, always, context });
  const validate = ValidateBy(
    {
      name: 'isSnowflakeId',
      validator: {
        validate: (value: unknown, args) =>
          (!each || isListOfIds(args)) && reader.read(value).problem === undefined,
        defaultMessage: (args) => (each && !isListOfIds(args) ? notAList(args) : messageFor(reader, args)),
      },
    },
    validation,
  );
  const keepNumbers = Transform(asSent, { toClassOnly: true });
  return (target, property) => {
    keepNumbers(target, property);
    validate(target, property);
  };
}

/** Returns the value as the client sent it if it contains a number. */
function asSent({ value, obj, key }: TransformFnParams): unknown {
  const sent = (obj as Record<string, unknown> | undefined)?.[key];
  const hasNumber =
    typeof sent === 'number' || (Array.isArray(sent) && sent.some((item) => typeof item === 'number'));
  return hasNumber ? sent : (value as unknown);
}

/** With `each`, class-validator passes the whole list to the message. */
function messageFor(reader: ClientIdReader, args: ValidationArguments | undefined): string {
  const { property = 'id', value } = args ?? {};
  const items: unknown[] = Array.isArray(value) ? value : [value];
  for (const [at, item] of items.entries()) {
    const { problem } = reader.read(item);
    if (problem !== undefined)
      return reader.message(Array.isArray(value) ? `${property}[${at}]` : property, problem);
  }
  return reader.message(property, 'is not a string');
}

function definedOnly<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}
