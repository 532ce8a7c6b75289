import { readFileSync } from 'node:fs';
import { NotReadyError } from '../../core/errors/issuing-errors.js';
import { join } from 'node:path';
import { InvalidIdError, InvalidOptionError } from '../../core/errors/input-errors.js';
import { modelsOfSchema, type SchemaField, type SchemaModel } from './generator/models-of-schema.js';
import { answerTo } from './generator/protocol.js';
import { snowflakeIds, type PrismaIdMaker } from './snowflake-ids.js';
import type { SnowflakeModels } from './snowflake-models.js';
import { WrittenArgs } from './written-args.js';
import { cleanUpAfterAll, temporaryFolder } from '../../../../../test/support/clean-up.js';

const ONE_MODEL: SnowflakeModels = {
  provider: 'sqlite',
  models: { Order: { table: 'orders', keys: { id: 'id' }, references: {}, relations: {} } },
};

/** An ID maker that gets its lease when it is asked to be ready. */
class LateMaker implements PrismaIdMaker {
  canIssue = false;
  asked = 0;

  nextBigInt(): bigint {
    if (!this.canIssue) throw new NotReadyError();
    return 5n;
  }

  ready(): Promise<void> {
    this.asked++;
    this.canIssue = true;
    return Promise.resolve();
  }
}

type Hook = (operation: object) => Promise<unknown>;

/** Extends a client that shows the hook of an extension instead of running it. */
function hookOf(ids: PrismaIdMaker): Hook {
  const $extends = (extension: unknown): unknown => extension;
  const extension: unknown = snowflakeIds(ids, ONE_MODEL)({ $extends, $on: () => undefined });
  return (extension as { query: { $allModels: { $allOperations: Hook } } }).query.$allModels.$allOperations;
}

const operationWith = (args: object, sent: unknown[]): object => ({
  model: 'Order',
  operation: 'create',
  args,
  query: (given: unknown) => Promise.resolve(sent.push(given)),
});

describe('the extension for Prisma', () => {
  it('sends the query before it returns if there is a lease', () => {
    const sent: unknown[] = [];
    void hookOf({ nextBigInt: () => 5n })(operationWith({ data: {} }, sent));
    expect(sent).toEqual([{ data: { id: 5n } }]);
  });

  it('waits for the lease only if it needs an ID', async () => {
    const ids = new LateMaker();
    const sent: unknown[] = [];
    await hookOf(ids)(operationWith({ data: { id: 1n } }, sent));
    await hookOf(ids)(operationWith({}, sent));
    expect(ids.asked).toBe(0);
    await hookOf(ids)(operationWith({ data: {} }, sent));
    expect(ids.asked).toBe(1);
    expect(sent).toEqual([{ data: { id: 1n } }, {}, { data: { id: 5n } }]);
  });

  it('waits for no lease if a key is refused', () => {
    const ids = new LateMaker();
    expect(() => hookOf(ids)(operationWith({ data: { id: 'x' } }, []))).toThrow(InvalidIdError);
    expect(ids.asked).toBe(0);
  });

  it('passes on why a maker that can not wait has no ID', () => {
    const nextBigInt = (): bigint => {
      throw new NotReadyError();
    };
    expect(() => hookOf({ nextBigInt })(operationWith({ data: {} }, []))).toThrow(NotReadyError);
  });

  it('refuses to be a later extension, whose client has no $on()', () => {
    const later = { $extends: () => undefined, $on: undefined };
    expect(() => snowflakeIds({ nextBigInt: () => 5n }, ONE_MODEL)(later)).toThrow(InvalidOptionError);
  });
});

const MODELS: SnowflakeModels = {
  provider: 'sqlite',
  models: {
    Order: {
      table: 'orders',
      keys: { id: 'id' },
      references: { customerId: 'customer_id' },
      relations: { lines: 'Line', customer: 'Customer', constructor: 'Customer' },
    },
    Line: { table: 'lines', keys: { id: 'id' }, references: {}, relations: { order: 'Order' } },
    Customer: { table: 'customers', keys: { id: 'id' }, references: {}, relations: { orders: 'Order' } },
    Log: { table: 'logs', keys: {}, references: {}, relations: { order: 'Order' } },
  },
};
/** What a number literal of an ID becomes. */
const ROUNDED = Number('382475217496248329');

function written(model: string, operation: string, args: object): unknown {
  let next = 1n;
  // As Prisma does, which passes a copy to each extension.
  const copy = structuredClone(args) as Record<string, unknown>;
  new WrittenArgs(MODELS, () => next++).fill(model, operation, copy);
  return copy;
}

describe('the arguments of operations of Prisma', () => {
  it.each(['create', 'createMany', 'createManyAndReturn'])('get an ID for each row of %s', (operation) => {
    expect(written('Order', operation, { data: { note: 'a' } })).toEqual({ data: { id: 1n, note: 'a' } });
    expect(written('Order', operation, { data: [{ note: 'a' }, { id: 7n }, { id: undefined }] })).toEqual({
      data: [{ id: 1n, note: 'a' }, { id: 7n }, { id: 2n }],
    });
  });

  it('get an ID for the row that an upsert may create, and none for a change', () => {
    const args = { where: { id: 9n }, create: { note: 'a' }, update: { note: 'b' } };
    expect(written('Order', 'upsert', args)).toEqual({ ...args, create: { id: 1n, note: 'a' } });
    const update = { where: { id: 9n }, data: { note: 'b' } };
    expect(written('Order', 'update', update)).toEqual(update);
    expect(written('Order', 'updateMany', update)).toEqual(update);
  });

  it('get IDs for rows below a row, larger than that of the row', () => {
    const row = { lines: { create: [{ order: { create: {} } }, {}] }, customer: { create: {} } };
    expect(written('Order', 'create', { data: row })).toEqual({
      data: {
        id: 1n,
        lines: { create: [{ id: 2n, order: { create: { id: 3n } } }, { id: 4n }] },
        customer: { create: { id: 5n } },
      },
    });
  });

  it('get IDs for rows below one that is only changed', () => {
    const lines = {
      create: { sku: 'a' },
      createMany: { data: [{}], skipDuplicates: true },
      connectOrCreate: [{ where: { id: 9n }, create: {} }],
      upsert: { where: { id: 9n }, create: {}, update: { order: { create: {} } } },
      update: [{ where: { id: 9n }, data: { order: { create: {} } } }],
      connect: { id: 9n },
    };
    expect(written('Order', 'update', { data: { lines } })).toEqual({
      data: {
        lines: {
          create: { id: 1n, sku: 'a' },
          createMany: { data: [{ id: 2n }], skipDuplicates: true },
          connectOrCreate: [{ where: { id: 9n }, create: { id: 3n } }],
          upsert: { where: { id: 9n }, create: { id: 4n }, update: { order: { create: { id: 5n } } } },
          update: [{ where: { id: 9n }, data: { order: { create: { id: 6n } } } }],
          connect: { id: 9n },
        },
      },
    });
  });

  it('get IDs below the only row of a relation, with and without its condition', () => {
    const change = { orders: { create: {} } };
    const filled = { orders: { create: { id: 1n } } };
    expect(written('Order', 'update', { data: { customer: { update: change } } })).toEqual({
      data: { customer: { update: filled } },
    });
    expect(written('Order', 'update', { data: { customer: { update: { data: change } } } })).toEqual({
      data: { customer: { update: { data: filled } } },
    });
  });

  it('get IDs below a model without a key, and below a field with the name of a property of every object', () => {
    expect(written('Log', 'create', { data: { order: { create: {} } } })).toEqual({
      data: { order: { create: { id: 1n } } },
    });
    const row = { constructor: { create: {} } };
    expect(written('Order', 'create', { data: row })).toEqual({
      data: { id: 1n, constructor: { create: { id: 2n } } },
    });
    expect(written('Line', 'create', { data: { toString: { create: {} } } })).toEqual({
      data: { id: 1n, toString: { create: {} } },
    });
  });

  it('get the missing IDs if the first attempt had too few', () => {
    let next = 1n;
    const args = { data: [{}, { lines: { create: {} } }] };
    const failing = (): bigint => {
      if (next > 2n) throw new NotReadyError();
      return next++;
    };
    expect(() => {
      new WrittenArgs(MODELS, failing).fill('Order', 'createMany', args);
    }).toThrow(NotReadyError);
    new WrittenArgs(MODELS, () => next++).fill('Order', 'createMany', args);
    expect(args).toEqual({ data: [{ id: 1n }, { id: 2n, lines: { create: { id: 3n } } }] });
  });

  it('keep values that are no rows, such as JSON, bytes and what only Prisma can make', () => {
    const skip: unknown = Object.create({ ifUndefined: () => skip });
    const note = { create: { id: ROUNDED } };
    const file = new Uint8Array(3);
    const data = { lines: skip, note, file };
    new WrittenArgs(MODELS, () => 1n).fill('Order', 'create', { data });
    expect(data).toEqual({ id: 1n, lines: skip, note: { create: { id: ROUNDED } }, file: new Uint8Array(3) });
    expect(data.lines).toBe(skip);
  });

  it.each([
    ['a rounded key', 'create', { data: { id: ROUNDED } }],
    ['a rounded key of a nested row', 'create', { data: { lines: { create: [{ id: ROUNDED }] } } }],
    ['a rounded reference', 'createMany', { data: [{ customerId: ROUNDED }] }],
    ['a change to a rounded reference', 'update', { data: { customerId: { set: ROUNDED } } }],
    ['a rounded condition', 'delete', { where: { id: ROUNDED } }],
    ['a condition in a list', 'findMany', { where: { NOT: [{ id: { notIn: [1n, ROUNDED] } }] } }],
    [
      'a condition of a relation',
      'count',
      { where: { lines: { some: { order: { is: { id: ROUNDED } } } } } },
    ],
    [
      'a condition of what is included',
      'findMany',
      { include: { lines: { where: { id: { gt: ROUNDED } } } } },
    ],
    ['a cursor', 'findMany', { cursor: { id: ROUNDED } }],
    ['a nested connect', 'update', { data: { lines: { connect: [{ id: ROUNDED }] } } }],
    ['a nested condition', 'update', { data: { lines: { deleteMany: { id: ROUNDED } } } }],
    ['a text that is no ID', 'create', { data: { id: 'abc' } }],
    ['a negative key', 'create', { data: { id: -1n } }],
    ['a negative number', 'create', { data: { id: -1 } }],
    ['a key of 64 bits', 'create', { data: { id: 2n ** 63n } }],
    ['a boolean', 'create', { data: { id: true } }],
  ])('fail for %s with the name of the field', (_what, operation, args) => {
    expect(() => written('Order', operation, args)).toThrow(InvalidIdError);
    expect(() => written('Order', operation, args)).toThrow(/(Order|Line)\.(id|customerId)/);
  });

  it.each([7n, 7, '7', null])('keep %o as a reference', (customerId) => {
    expect(written('Order', 'create', { data: { id: 1n, customerId } })).toEqual({
      data: { id: 1n, customerId },
    });
  });

  it('keep rounded and negative numbers in fields that hold no IDs', () => {
    const where = { weight: { gt: 1e20 }, id: { gt: -1 } };
    expect(written('Order', 'findMany', { where })).toEqual({ where });
  });
});

const folder = temporaryFolder(cleanUpAfterAll());

function answer(method: string, params: object): object {
  return JSON.parse(answerTo(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }))) as object;
}

const generate = (output: object | null): object =>
  answer('generate', {
    generator: { output },
    datasources: [{ activeProvider: 'mysql' }],
    dmmf: { datamodel: { models: [] } },
  });

describe('the program that Prisma starts', () => {
  it('answers with its name', () => {
    expect(answer('getManifest', {})).toMatchObject({ id: 7, result: { manifest: {} } });
  });

  it('writes the models into the file that the schema names', () => {
    const file = join(folder, 'new/models.ts');
    expect(generate({ value: file })).toEqual({ jsonrpc: '2.0', id: 7, result: null });
    expect(readFileSync(file, 'utf8')).toContain('"provider": "mysql"');
  });

  it.each([null, { value: null }, { value: '/tmp/models' }])(
    'asks for a file if the output is %o',
    (output) => {
      expect(generate(output)).toMatchObject({
        id: 7,
        error: { message: expect.stringContaining('output') as string },
      });
    },
  );
});

const EMPTY_DEFAULT = { name: 'dbgenerated', args: [] };
const plain = { kind: 'scalar', type: 'BigInt', isId: false, isList: false, isReadOnly: false };
const key: SchemaField = { ...plain, name: 'id', isId: true, default: EMPTY_DEFAULT };
const customers: SchemaModel = {
  name: 'Customer',
  dbName: 'customers',
  fields: [key, { ...plain, name: 'orders', kind: 'object', type: 'Order', isList: true }],
};
const orders: SchemaModel = {
  name: 'Order',
  dbName: null,
  fields: [
    { ...key, dbName: 'order_id' },
    { ...plain, name: 'customerId', isReadOnly: true },
    {
      ...plain,
      name: 'customer',
      kind: 'object',
      type: 'Customer',
      relationFromFields: ['customerId'],
      relationToFields: ['id'],
    },
  ],
};

/** A model with one field besides those of a relation. */
const modelWith = (field: Partial<SchemaField>, name = 'Other'): SchemaModel => ({
  name,
  dbName: null,
  fields: [{ ...key, ...field }],
});
const keysOf = (...models: SchemaModel[]): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(modelsOfSchema('sqlite', models).models).map(([name, { keys }]) => [
      name,
      Object.keys(keys),
    ]),
  );

describe('the models of a Prisma schema', () => {
  it('have the names in the database, the keys, the references to keys and the relations', () => {
    expect(modelsOfSchema('postgresql', [customers, { ...orders, schema: 'shop' }])).toEqual({
      provider: 'postgresql',
      models: {
        Customer: { table: 'customers', keys: { id: 'id' }, references: {}, relations: { orders: 'Order' } },
        Order: {
          table: 'Order',
          schema: 'shop',
          keys: { id: 'order_id' },
          references: { customerId: 'customerId' },
          relations: { customer: 'Customer' },
        },
      },
    });
  });

  it('leave alone keys that are no BigInt, and those that are part of a relation', () => {
    const [, , relation] = orders.fields;
    const address: SchemaModel = {
      name: 'Address',
      dbName: null,
      fields: [{ ...key, name: 'customerId', isReadOnly: true, default: undefined }, relation!],
    };
    expect(
      keysOf(customers, address, modelWith({ type: 'Int', default: { name: 'autoincrement', args: [] } })),
    ).toEqual({
      Customer: ['id'],
      Address: [],
      Other: [],
    });
    const marked = {
      ...address,
      fields: [{ ...address.fields[0]!, documentation: '@snowflake' }, relation!],
    };
    expect(() => keysOf(customers, marked)).toThrow(
      expect.objectContaining({ option: 'Address.customerId' }),
    );
  });

  it('refer to a key through the key of another row', () => {
    const [, , toCustomer] = orders.fields;
    const customerId = { ...plain, name: 'customerId', isReadOnly: true };
    const toAddress = { ...toCustomer!, name: 'address', type: 'Address', relationToFields: ['customerId'] };
    const address = { name: 'Address', dbName: null, fields: [{ ...customerId, isId: true }, toCustomer!] };
    const room = { name: 'Room', dbName: null, fields: [customerId, toAddress] };
    const { models } = modelsOfSchema('sqlite', [room, address, customers]);
    expect(models['Room']?.references).toEqual({ customerId: 'customerId' });
  });

  it('have only the marked keys if one is marked', () => {
    const marked = modelWith({ isId: false, name: 'publicId', documentation: 'For customers. @snowflake' });
    const counted = modelWith({ default: { name: 'autoincrement', args: [] } }, 'Counted');
    expect(keysOf(customers, orders, marked, counted)).toEqual({
      Customer: [],
      Order: [],
      Other: ['publicId'],
      Counted: [],
    });
    expect(keysOf(modelWith({ documentation: 'See @snowflakes' }))).toEqual({ Other: ['id'] });
  });

  it.each([
    ['0', '0'],
    [{ name: 'autoincrement', args: [] }, 'autoincrement()'],
    [{ name: 'dbgenerated', args: ["nextval('x')"] }, `dbgenerated("nextval('x')")`],
  ])('fail for a key with the default %o', (given, shown) => {
    expect(() => keysOf(modelWith({ default: given }))).toThrow(InvalidOptionError);
    expect(() => keysOf(modelWith({ default: given }))).toThrow(
      expect.objectContaining({ option: 'Other.id', value: `@default(${shown})` }),
    );
  });

  it.each([{ type: 'Int' }, { type: 'String' }, { isList: true }])('fail for a mark on %o', (field) => {
    expect(() => keysOf(modelWith({ ...field, documentation: '@snowflake' }))).toThrow(InvalidOptionError);
  });
});
