import {
  GraphQLObjectType,
  GraphQLSchema,
  graphqlSync,
  parseValue,
  printSchema,
  valueFromAST,
} from 'graphql';
import { prefixedCodec } from '../core/codecs/prefixed-codec.js';
import { SnowflakeID, snowflakeIdScalar, type SnowflakeIdScalarOptions } from './snowflake-id.scalar.js';

const ID = '382475217496248322';

/** Returns the error that `call` throws. */
function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown');
}

describe('the scalar SnowflakeID', () => {
  it.each([ID, BigInt(ID)])('writes %p as a string', (value) => {
    expect(SnowflakeID.serialize(value)).toBe(ID);
  });

  it.each([Number(ID), 7, '', '12x', -1n, 2n ** 63n, null, undefined, {}, [ID], new Date(0)])(
    'writes nothing for %p',
    (value) => {
      const extensions = { code: 'INTERNAL_SERVER_ERROR', snowflakeCode: 'SNOWFLAKE_INVALID_ID' };
      expect(thrownBy(() => SnowflakeID.serialize(value))).toMatchObject({ extensions });
    },
  );

  it('reads a string, as a value and as a literal', () => {
    expect(SnowflakeID.parseValue(ID)).toBe(ID);
    expect(valueFromAST(parseValue(`"${ID}"`), SnowflakeID)).toBe(ID);
    expect(valueFromAST(parseValue(`"""${ID}"""`), SnowflakeID)).toBe(ID);
  });

  it.each([7, BigInt(ID), true, {}, [ID], '12x'])('reads nothing in %p', (value) => {
    const extensions = { code: 'BAD_USER_INPUT', snowflakeCode: 'SNOWFLAKE_INVALID_ID' };
    expect(thrownBy(() => SnowflakeID.parseValue(value))).toMatchObject({ extensions });
  });

  it('needs no Nest, and has a default value that is a string', () => {
    const args = { id: { type: SnowflakeID, defaultValue: ID } };
    const fields = {
      echo: { type: SnowflakeID, args, resolve: (_: unknown, given: { id: string }) => given.id },
    };
    const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) });
    expect(graphqlSync({ schema, source: '{ echo }' })).toEqual({ data: { echo: ID } });
    expect(printSchema(schema)).toContain(`echo(id: SnowflakeID = "${ID}"): SnowflakeID`);
  });
});

describe('the options of a scalar', () => {
  it('sets name, description and codec', () => {
    const codec = prefixedCodec('ord');
    const scalar = snowflakeIdScalar({ name: 'OrderID', description: 'The ID of an order', codec });
    expect(scalar).toMatchObject({ name: 'OrderID', description: 'The ID of an order' });
    expect(scalar.serialize(ID)).toBe('ord_0SFjugjHF10');
    expect(scalar.parseValue('ord_0SFjugjHF10')).toBe(ID);
  });

  it('lets errors of a codec of the app pass', () => {
    const broken = () => {
      throw new RangeError('out of order');
    };
    const codec = { ...prefixedCodec('ord'), encode: broken, decode: broken };
    const scalar = snowflakeIdScalar({ codec });
    expect(() => scalar.serialize(ID)).toThrow(RangeError);
    expect(() => scalar.parseValue(ID)).toThrow(RangeError);
  });

  it.each([
    [{ name: 'Order ID' }, 'name'],
    [{ name: '__ID' }, 'name'],
    [{ name: 7 }, 'name'],
    [{ codec: {} }, 'codec'],
    [{ maxAheadMs: -1 }, 'maxAheadMs'],
    [{ specifiedBy: 'https://example.org' }, 'specifiedBy'],
  ])('refuses the options %j', (options, option) => {
    expect(() => snowflakeIdScalar(options as SnowflakeIdScalarOptions)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
    );
  });
});
