import { InvalidIdError } from '../core/errors/input-errors.js';
import { NotReadyError } from '../core/errors/issuing-errors.js';
import type { SnowflakeModels } from './snowflake-models.js';
import { WrittenArgs } from './written-args.js';

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
  ])('are refused for %s, with the name of the field', (_what, operation, args) => {
    expect(() => written('Order', operation, args)).toThrow(InvalidIdError);
    expect(() => written('Order', operation, args)).toThrow(/(Order|Line)\.(id|customerId)/);
  });

  it.each([7n, 7, '7', null])('keep %p as a reference', (customerId) => {
    expect(written('Order', 'create', { data: { id: 1n, customerId } })).toEqual({
      data: { id: 1n, customerId },
    });
  });

  it('are checked for the numbers of IDs only', () => {
    const where = { weight: { gt: 1e20 }, id: { gt: -1 } };
    expect(written('Order', 'findMany', { where })).toEqual({ where });
  });
});
