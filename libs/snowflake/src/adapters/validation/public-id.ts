import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments, type ValidationOptions } from 'class-validator';
import { requireCodec, type IdCodec } from '../../core/codecs/id-codec.js';
import { base62Codec } from '../../core/codecs/radix-codecs.js';
import { prefixedCodec } from '../../core/codecs/prefixed-codec.js';
import { ClientIdReader } from '../../core/client-ids/client-id-reader.js';
import { InvalidIdError } from '../../core/errors/input-errors.js';
import { isListOfIds, notAList } from './list-of-ids.js';

/** Declares a property whose ID has a public form with this prefix. The options are those of class-validator. */
export type PublicIdDecorator = (prefix: string, options?: ValidationOptions) => PropertyDecorator;

/**
 * Declares a property of a DTO that holds an ID in decimal digits inside the app, and a public ID in requests and responses.
 *
 * Requests need `ValidationPipe({ transform: true })`, and a value in another form is refused, including one that is not a list with `each`. Responses need
 * ClassSerializerInterceptor and an instance of the class, or `@SerializeOptions({ type: OrderDto })`.
 *
 * @throws InvalidOptionError at class definition, for a wrong prefix
 * @example
 * ```ts
 * export class OrderDto {
 *   @PublicId('ord') id!: string; // '382475217496248322' in the app, "ord_0SFjugjHF10" in JSON
 *   @PublicId('prd', { each: true }) productIds!: string[];
 * }
 * ```
 */
export const PublicId: PublicIdDecorator = publicIdDecorator();

/**
 * Returns {@link PublicId} with another codec after the prefix, for example to hide the ID.
 *
 * @param inner the codec, or a function that creates it before the first ID is read or written; base 62 if omitted
 * @example
 * ```ts
 * export const PublicId = publicIdDecorator(() => obfuscatingCodec({ keys: { 1: process.env.ID_KEY_1 }, current: 1 }));
 * ```
 */
export function publicIdDecorator(
  inner: IdCodec<string> | (() => IdCodec<string>) = base62Codec(),
): PublicIdDecorator {
  const innerCodec = once(() => requireCodec('inner', typeof inner === 'function' ? inner() : inner));
  return (prefix, options = {}) => {
    // Checks the prefix at the definition of the class, even if the codec comes later.
    prefixedCodec(prefix);
    const codec = once(() => prefixedCodec(prefix, innerCodec()));
    const decorators = [
      Transform(({ value, obj, key }) => decoded(codec(), sentValue(obj, key, value)), { toClassOnly: true }),
      Transform(({ value }) => encoded(codec(), value), { toPlainOnly: true }),
      ValidateBy(
        {
          name: 'isPublicId',
          validator: {
            validate: (value, args) => (!options.each || isListOfIds(args)) && isDecoded(value),
            defaultMessage: (args) =>
              options.each && !isListOfIds(args) ? notAList(args) : messageFor(args),
          },
        },
        options,
      ),
    ];
    return (target, property) => {
      for (const decorate of decorators) decorate(target, property);
    };
  };
}

/** A value that is not a public ID. Validation refuses it. A response that is built from plain objects encodes the ID in it. */
class Unread {
  constructor(
    readonly value: unknown,
    readonly problem: string,
  ) {}
}

/** Returns the value before `enableImplicitConversion` turned it into a string. */
function sentValue(obj: unknown, key: string, value: unknown): unknown {
  return (obj as Record<string, unknown> | undefined)?.[key] ?? value;
}

function decoded(codec: IdCodec<string>, value: unknown): unknown {
  if (value === undefined || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => decoded(codec, item));
  const { id, problem } = ClientIdReader.of({ codec }).read(value);
  return problem === undefined ? id : new Unread(value, problem);
}

function encoded(codec: IdCodec<string>, value: unknown): unknown {
  if (value instanceof Unread) return encoded(codec, value.value);
  if (Array.isArray(value)) return value.map((item) => encoded(codec, item));
  if (typeof value === 'string' || typeof value === 'bigint') return codec.encode(value);
  if (value === undefined || value === null) return value;
  throw new InvalidIdError(value, `is of type ${typeof value}`);
}

function isDecoded(value: unknown): boolean {
  return typeof value === 'string';
}

function messageFor(args?: ValidationArguments): string {
  const { property = 'id', value } = args ?? {};
  const items: unknown[] = Array.isArray(value) ? value : [value];
  const at = items.findIndex((item) => !isDecoded(item));
  const item = items[at];
  const problem =
    item instanceof Unread ? item.problem : item === undefined ? 'is missing' : 'is not a string';
  return ClientIdReader.of({ codec: base62Codec() }).message(
    Array.isArray(value) ? `${property}[${at}]` : property,
    problem,
  );
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
