import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { decimalCodec } from '../../core/codecs/radix-codecs.js';
import { checkedOptions, text, unchecked, type OptionRules } from '../../core/options/option-rule.js';
import {
  CLIENT_ID_OPTIONS,
  ClientIdReader,
  type ClientIdReading,
} from '../../core/client-ids/client-id-reader.js';
import type { ClientIdOptions } from '../../core/client-ids/client-id-options.js';
import { InvalidIdError } from '../../core/errors/input-errors.js';

/** Options of {@link snowflakeIdScalar}. */
export interface SnowflakeIdScalarOptions extends ClientIdOptions {
  /**
   * The name of the scalar in the schema.
   * Bounds: a GraphQL name.
   *
   * @defaultValue `'SnowflakeID'`
   */
  readonly name?: string;
  /**
   * The description in the schema.
   *
   * @defaultValue a sentence that explains what clients send
   */
  readonly description?: string;
}

const SCALAR_OPTIONS = {
  ...CLIENT_ID_OPTIONS,
  name: text(/^(?!__)[A-Za-z_]\w*$/, 'is not a GraphQL name', "Use for example 'OrderID'.").or('SnowflakeID'),
  description: unchecked<string>().optional(),
} satisfies OptionRules<SnowflakeIdScalarOptions>;

/**
 * Returns a GraphQL scalar for IDs. Resolvers get and return decimal digits. Clients get and send a string: decimal digits, or
 * the public ID of the codec.
 *
 * The scalar writes strings and bigints, and reads strings. It refuses integers in queries and numbers in variables, which
 * arrive rounded: the error has the code `BAD_USER_INPUT`, and `SNOWFLAKE_INVALID_ID` as `snowflakeCode`. It also refuses
 * numbers from resolvers, as `INTERNAL_SERVER_ERROR`.
 *
 * @throws InvalidOptionError if an option is invalid
 * @example
 * ```ts
 * export const OrderID = snowflakeIdScalar({ name: 'OrderID', codec: prefixedCodec('ord') });
 * ```
 */
export function snowflakeIdScalar(options: SnowflakeIdScalarOptions = {}): GraphQLScalarType<string, string> {
  const checked = checkedOptions('options', options, SCALAR_OPTIONS);
  const { name, description = descriptionFor(options), codec = decimalCodec() } = checked;
  const reader = new ClientIdReader(checked);
  const idOf = ({ id, problem }: ClientIdReading, nodes?: ValueNode): string => {
    if (problem === undefined) return id;
    throw errorOf('BAD_USER_INPUT', reader.message('The value', problem), nodes);
  };
  return new GraphQLScalarType<string, string>({
    name,
    description,
    serialize: (value) => {
      try {
        return codec.encode(value as string | bigint);
      } catch (error) {
        throw error instanceof InvalidIdError ? unwritable(error) : error;
      }
    },
    parseValue: (value) => idOf(reader.read(value)),
    parseLiteral: (node) => idOf(isNumber(node) ? NUMBER : reader.read(textIn(node)), node),
  });
}

/**
 * The GraphQL scalar of IDs in decimal digits: {@link snowflakeIdScalar} without options.
 *
 * @example
 * ```ts
 * // order.model.ts
 * @ObjectType()
 * export class Order {
 *   @Field(() => SnowflakeID) id!: string; // SnowflakeID! in the schema
 * }
 * ```
 */
export const SnowflakeID: GraphQLScalarType<string, string> = snowflakeIdScalar();

/** Refuses exact digits in the query, too, because the same client would round them in a variable. */
const NUMBER: ClientIdReading = { problem: "is a number, and numbers in JSON can't hold 64 bits exactly" };

function isNumber({ kind }: ValueNode): boolean {
  return kind === Kind.INT || kind === Kind.FLOAT;
}

/** Returns the text of a string, and the node itself for everything else. */
function textIn(node: ValueNode): unknown {
  return node.kind === Kind.STRING ? node.value : node;
}

/** Leaves the value out of the message, because clients read it. */
function unwritable({ problem }: InvalidIdError): GraphQLError {
  return errorOf('INTERNAL_SERVER_ERROR', `The server has a value that is not a valid ID: it ${problem}.`);
}

function errorOf(code: string, message: string, nodes?: ValueNode): GraphQLError {
  return new GraphQLError(message, { nodes, extensions: { code, snowflakeCode: 'SNOWFLAKE_INVALID_ID' } });
}

function descriptionFor({ codec }: ClientIdOptions): string {
  const form = codec ? '' : ' of 1 to 19 decimal digits';
  return `A unique ID of 64 bits as a string${form}. Numbers are refused, because they round it.`;
}
