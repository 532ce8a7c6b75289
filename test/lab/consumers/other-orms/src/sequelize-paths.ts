import { DataTypes, Model, QueryTypes, type ModelStatic } from 'sequelize';
import { databaseName, GIVEN, printOutcomes, SMALL, type Row, type WritePath } from './outcomes.js';
import { Order, sequelize } from './sequelize.js';

/** A customer is a model of its own only here, to insert two rows by one call. */
class Customer extends Model {}
Customer.init(
  { id: { type: DataTypes.BIGINT, primaryKey: true } },
  { sequelize, tableName: 'customers', timestamps: false },
);
Customer.hasMany(Order as ModelStatic<Model>, { as: 'orders', foreignKey: 'customerId', constraints: false });

await sequelize.sync({ force: true });

const text = databaseName === 'mariadb' ? 'char' : 'text';
const quoted = databaseName === 'mariadb' ? '`customerId`' : '"customerId"';

const paths: Record<string, WritePath> = {
  create: async (customerId) => (await Order.create({ customerId })).id,
  'build and save': async (customerId) => (await Order.build({ customerId }).save()).id,
  'bulkCreate of 500 rows': (customerId) =>
    Order.bulkCreate(Array.from({ length: 500 }, () => ({ customerId }))),
  findOrCreate: async (customerId) => (await Order.findOrCreate({ where: { customerId } }))[0].id,
  'a transaction': (customerId) =>
    sequelize.transaction((transaction) => Order.create({ customerId }, { transaction })),
  'create with an include': (customerId) =>
    Customer.create({ id: customerId, orders: [{}, {}] }, { include: 'orders' }),
  'bulkCreate with updateOnDuplicate': (customerId) =>
    Order.bulkCreate([{ id: GIVEN, customerId }], { updateOnDuplicate: ['customerId'] }),
  'upsert of an existing row': async (customerId) => (await Order.upsert({ id: GIVEN, customerId }))[0].id,
  'upsert of a new row': async (customerId) => (await Order.upsert({ customerId }))[0].id,
  'upsert of a row that a unique column finds': (customerId) =>
    withUniqueCustomer(customerId, async () => {
      const conflictFields = databaseName === 'postgres' ? ['customerId' as const] : undefined;
      return (await Order.upsert({ customerId }, { conflictFields }))[0].id;
    }),
  'bulkCreate with ignoreDuplicates': (customerId) =>
    withUniqueCustomer(
      customerId,
      async () => (await Order.bulkCreate([{ customerId }], { ignoreDuplicates: true }))[0]?.id,
    ),
  'create with a small ID': async (customerId) => {
    await Order.create({ id: SMALL, customerId });
    const { id } = await Order.findByPk(SMALL, { rejectOnEmpty: true });
    if (typeof id !== 'string') throw new Error('It is read as a number');
  },
  // As the page says, it rounds otherwise.
  'largest ID': async (customerId) => {
    await Order.update({ customerId }, { where: { id: GIVEN } });
    return Order.max('id');
  },
  'largest ID, read as text': async (customerId) => {
    await Order.update({ customerId }, { where: { id: GIVEN } });
    return Order.max('id', { dataType: DataTypes.STRING });
  },
  'create with id: null': (customerId) => Order.create({ id: null as unknown as string, customerId }),
  'queryInterface.bulkInsert': (customerId) =>
    sequelize.getQueryInterface().bulkInsert('orders', [{ customerId }]),
  'raw SQL': (customerId) => sequelize.query(`INSERT INTO orders (${quoted}) VALUES (${customerId})`),
};

/** Runs `write` while the only row of the table has that customer, who may have no second one. */
async function withUniqueCustomer(customerId: string, write: () => Promise<unknown>): Promise<unknown> {
  await Order.update({ customerId }, { where: { id: GIVEN } });
  const schema = sequelize.getQueryInterface();
  await schema.addIndex('orders', { name: 'one_order', fields: ['customerId'], unique: true });
  try {
    return await write();
  } finally {
    await schema.removeIndex('orders', 'one_order');
  }
}

await printOutcomes(
  {
    async reset() {
      await Order.destroy({ where: {} });
      await Order.create({ id: GIVEN, customerId: GIVEN });
    },
    read: () => Order.findAll(),
    readText: () =>
      sequelize.query<Row>(
        `SELECT CAST(id AS ${text}) AS id, CAST(${quoted} AS ${text}) AS ${quoted} FROM orders`,
        { type: QueryTypes.SELECT },
      ),
  },
  paths,
);
await sequelize.close();
