import {
  GraphQLObjectType,
  GraphQLSchema,
  graphqlSync,
  parseValue,
  printSchema,
  valueFromAST,
} from 'graphql';
import { prefixedCodec } from '../../libs/snowflake/src/core/codecs/prefixed-codec.js';
import {
  SnowflakeID,
  snowflakeIdScalar,
  type SnowflakeIdScalarOptions,
} from '../../libs/snowflake/src/adapters/graphql/snowflake-id.scalar.js';
import { spawnChild, type TestChild } from '../support/child.js';
import { hiddenInvoiceId } from './hidden-id.js';

const ID = '382475217496248322';
const OTHER = '382475217496248323';
const ROUNDED = '382475217496248300';
const PUBLIC_ID = hiddenInvoiceId.encode(ID);
const START_WITHIN_MS = 25_000;
const APPS = ['code-first', 'schema-first'].flatMap((style) => [
  { name: `Express ${style}`, style, driver: 'Apollo' },
  { name: `Fastify ${style}`, style, driver: 'Mercurius' },
]);
/** What refuses a value in the query itself: Apollo replaces the code of every error of validation. */
const CODE_OF_LITERALS: Record<string, string> = {
  Apollo: 'GRAPHQL_VALIDATION_FAILED',
  Mercurius: 'BAD_USER_INPUT',
};

interface Result {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly locations?: unknown;
    readonly extensions?: Record<string, unknown>;
  }[];
}

interface Served {
  readonly app: string;
  readonly url: string;
}

const isServed = (message: unknown): message is Served => Object.hasOwn(message as object, 'url');

// In a process of their own, as users run their servers. It starts them one after another, and a test waits only for its own.
let server: TestChild;
const urls = new Map<string, string>();
beforeAll(async () => {
  server = spawnChild(new URL('./children/graphql-apps.ts', import.meta.url), {
    env: { NODE_ENV: 'production' },
    keepsStdout: true,
  });
  await urlOf(APPS[0]!.name);
});
afterAll(() => server?.kill());

async function urlOf(name: string): Promise<string> {
  for (;;) {
    const known = urls.get(name);
    if (known !== undefined) return known;
    const { app, url } = await server.next(isServed, START_WITHIN_MS);
    urls.set(app, url);
  }
}

/** @param variables JSON text, because a JavaScript number could not hold what a client can send */
async function ask(app: string, query: string, variables = '{}'): Promise<Result> {
  const response = await fetch(`${await urlOf(app)}/graphql`, {
    method: 'POST',
    // A connection that is kept could be closed just as the next request uses it.
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
  });
  return (await response.json()) as Result;
}

/** An error without internals, whose message begins or continues so. */
const errorWith = (message: string, extensions: object): object => ({
  message: expect.stringContaining(message),
  locations: [{ line: 1, column: expect.any(Number) }],
  extensions,
});

const refused = (message: string, code = 'BAD_USER_INPUT'): object => ({
  errors: [
    expect.objectContaining(
      errorWith(`The value is not a valid ID: it ${message}`, {
        code,
        snowflakeCode: 'SNOWFLAKE_INVALID_ID',
      }),
    ),
  ],
});

describe.each(APPS)('the scalar SnowflakeID, $style, on $driver', ({ name, driver }) => {
  it('reads IDs that are strings in queries and in variables', async () => {
    const order = { id: ID, parentId: null, productIds: [ID, OTHER] };
    const fields = '{ id parentId productIds }';
    expect(await ask(name, `{ order(id: "${ID}") ${fields} }`)).toEqual({ data: { order } });
    const query = `query ($id: SnowflakeID!) { order(id: $id) ${fields} }`;
    expect(await ask(name, query, `{"id":"${ID}"}`)).toEqual({ data: { order } });
  });

  it('reads IDs in lists, optional values and inputs', async () => {
    const list = await ask(
      name,
      'query ($ids: [SnowflakeID!]!) { orders(ids: $ids) { id } }',
      '{"ids":["1","2"]}',
    );
    expect(list).toEqual({ data: { orders: [{ id: '1' }, { id: '2' }] } });
    expect(await ask(name, '{ echo }')).toEqual({ data: { echo: null } });
    expect(await ask(name, '{ echo(id: null) }')).toEqual({ data: { echo: null } });
    const mutation = 'mutation ($order: NewOrder!) { create(order: $order) { id parentId productIds } }';
    expect(await ask(name, mutation, `{"order":{"customerId":"${ID}","productIds":["7"]}}`)).toEqual({
      data: { create: { id: OTHER, parentId: ID, productIds: ['7'] } },
    });
  });

  it.each([
    ['an integer', ID, 'is a number'],
    ['a decimal number', '1.5', 'is a number'],
    ['other text', '"12x"', 'contains a character other than decimal digits'],
    ['an empty string', '""', 'is empty'],
    ['too large', '"9223372036854775808"', 'exceeds 63 bits'],
    ['a boolean', 'true', 'is not a string'],
    ['an object', '{ id: "1" }', 'is not a string'],
  ])('refuses a literal that is %s and names the reason', async (_, literal, problem) => {
    expect(await ask(name, `{ order(id: ${literal}) { id } }`)).toMatchObject(
      refused(problem, CODE_OF_LITERALS[driver]),
    );
  });

  it.each([
    ['a number', ID, "is a JSON number, which can't hold 64 bits exactly"],
    ['a small number', '7', "is a JSON number, which can't hold 64 bits exactly"],
    ['other text', '"12x"', 'contains a character other than decimal digits'],
    ['an object', '{"id":"1"}', 'is not a string'],
  ])('refuses a variable that is %s and names the reason', async (_, variable, problem) => {
    const query = 'query ($id: SnowflakeID!) { order(id: $id) { id } }';
    const variables = `{"id":${variable}}`;
    const { errors } = await ask(name, query, variables);
    expect(errors?.[0]?.message).toMatch(
      /^Variable "\$id" got invalid value .*; The value is not a valid ID: it /,
    );
    expect({ errors }).toMatchObject({
      errors: [errorWith(problem, { code: 'BAD_USER_INPUT', snowflakeCode: 'SNOWFLAKE_INVALID_ID' })],
    });
  });

  it('refuses numbers in lists and inputs', async () => {
    const list = 'query ($ids: [SnowflakeID!]!) { orders(ids: $ids) { id } }';
    const mutation = 'mutation ($order: NewOrder!) { create(order: $order) { id } }';
    const extensions = { code: 'BAD_USER_INPUT', snowflakeCode: 'SNOWFLAKE_INVALID_ID' };
    expect(await ask(name, list, `{"ids":["1",${ID}]}`)).toMatchObject({
      errors: [errorWith('at "ids[1]"; The value is not a valid ID: it is a JSON number', extensions)],
    });
    expect(await ask(name, mutation, `{"order":{"customerId":${ID}}}`)).toMatchObject({
      errors: [
        errorWith('at "order.customerId"; The value is not a valid ID: it is a JSON number', extensions),
      ],
    });
  });

  it('finds another row with the type ID, which accepts a number (control)', async () => {
    const query = 'query ($id: ID!) { plain(id: $id) }';
    expect(await ask(name, query, `{"id":${ID}}`)).toEqual({ data: { plain: ROUNDED } });
  });

  it.each([
    ['rounded', 'is of type number'],
    ['broken', 'contains a character other than decimal digits'],
  ])('refuses a value of a resolver that is %s, without showing it', async (field, problem) => {
    const result = await ask(name, `{ ${field} }`);
    expect(result).toMatchObject({
      data: null,
      errors: [
        errorWith(`The server has a value that is not a valid ID: it ${problem}.`, {
          code: 'INTERNAL_SERVER_ERROR',
          snowflakeCode: 'SNOWFLAKE_INVALID_ID',
        }),
      ],
    });
    expect(JSON.stringify(result)).not.toMatch(/10\.0\.0\.7|3824752/);
  });

  it('hides IDs by a codec, and refuses others', async () => {
    expect(await ask(name, `{ invoice(id: "${PUBLIC_ID}") { id orderId } }`)).toEqual({
      data: { invoice: { id: PUBLIC_ID, orderId: ID } },
    });
    expect(PUBLIC_ID).toMatch(/^inv_\w{12}$/);
    for (const other of [ID, 'inv_0SFjugjHF10', PUBLIC_ID.replace('inv', 'ord')]) {
      expect(await ask(name, `{ invoice(id: "${other}") { id } }`)).toMatchObject(
        refused('', CODE_OF_LITERALS[driver]),
      );
    }
  });

  it('checks the time in an ID, as the validator of an input does', async () => {
    expect(await ask(name, `{ recent(id: "${ID}") }`)).toMatchObject(
      refused('is older than the IDs that are accepted here', CODE_OF_LITERALS[driver]),
    );
    const { errors } = await ask(name, 'mutation { create(order: { customerId: "1" }) { id } }');
    expect(errors).toMatchObject([{ message: 'Bad Request Exception' }]);
  });

  it('returns errors of the exception filter with codes and without internals', async () => {
    expect(await ask(name, '{ exhausted }')).toMatchObject({
      data: null,
      errors: [
        errorWith("The server can't do this right now. Send the request again.", {
          code: 'SERVICE_UNAVAILABLE',
          snowflakeCode: 'SNOWFLAKE_LEASE_EXHAUSTED',
        }),
      ],
    });
  });
});

describe.each(APPS)('a subgraph, $style, on $driver', ({ name }) => {
  const entities = (fields: string): string =>
    `query ($keys: [_Any!]!) { _entities(representations: $keys) { ${fields} } }`;

  it('resolves entities by their ID or their public ID', async () => {
    const orders = entities('... on Order { id productIds }');
    expect(await ask(`${name} subgraph`, orders, `{"keys":[{"__typename":"Order","id":"${ID}"}]}`)).toEqual({
      data: { _entities: [{ id: ID, productIds: [ID, OTHER] }] },
    });
    const invoices = entities('... on Invoice { id orderId }');
    const keys = `{"keys":[{"__typename":"Invoice","id":"${PUBLIC_ID}"}]}`;
    expect(await ask(`${name} subgraph`, invoices, keys)).toEqual({
      data: { _entities: [{ id: PUBLIC_ID, orderId: ID }] },
    });
  });

  it('refuses a number as the key of an entity', async () => {
    const orders = entities('... on Order { id }');
    const result = await ask(`${name} subgraph`, orders, `{"keys":[{"__typename":"Order","id":${ID}}]}`);
    expect(result).toMatchObject(refused('is a JSON number'));
  });
});

describe('a code-first subgraph that omits the scalars from `resolvers`', () => {
  it('accepts a number without the scalars, because Nest makes the schema from text (control)', async () => {
    const query = 'query ($id: SnowflakeID!) { echo(id: $id) }';
    expect(await ask('careless subgraph', query, `{"id":${ID}}`)).toEqual({ data: { echo: Number(ID) } });
    const subgraph = await ask('Express code-first subgraph', query, `{"id":${ID}}`);
    expect(subgraph.errors?.[0]?.extensions).toMatchObject({ snowflakeCode: 'SNOWFLAKE_INVALID_ID' });
  });
});

describe.each(['code-first', 'schema-first'])('a gateway before a subgraph, %s', (style) => {
  it('joins types of two subgraphs by their ID', async () => {
    expect(await ask(`${style} gateway`, '{ shipped { id productIds } }')).toEqual({
      data: { shipped: [{ id: ID, productIds: [ID, OTHER] }] },
    });
  });
});

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
  it.each([ID, BigInt(ID)])('writes %o as a string', (value) => {
    expect(SnowflakeID.serialize(value)).toBe(ID);
  });

  it.each([Number(ID), 7, '', '12x', -1n, 2n ** 63n, null, undefined, {}, [ID], new Date(0)])(
    'writes nothing for %o',
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

  it.each([7, BigInt(ID), true, {}, [ID], '12x'])('reads nothing in %o', (value) => {
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
