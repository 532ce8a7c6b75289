import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { modelsOfSchema, type SchemaField, type SchemaModel } from './models-of-schema.js';

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
  ])('are refused for a key with the default %p', (given, shown) => {
    expect(() => keysOf(modelWith({ default: given }))).toThrow(InvalidOptionError);
    expect(() => keysOf(modelWith({ default: given }))).toThrow(
      expect.objectContaining({ option: 'Other.id', value: `@default(${shown})` }),
    );
  });

  it.each([{ type: 'Int' }, { type: 'String' }, { isList: true }])(
    'are refused for a mark on %p',
    (field) => {
      expect(() => keysOf(modelWith({ ...field, documentation: '@snowflake' }))).toThrow(InvalidOptionError);
    },
  );
});
