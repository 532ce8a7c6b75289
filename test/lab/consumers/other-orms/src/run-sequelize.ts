import { Order, sequelize } from './sequelize.js';
import { CUSTOMER, report } from './session.js';

await report(async () => {
  await sequelize.sync();
  const created = await Order.create({ customerId: CUSTOMER });
  const read = await Order.findByPk(created.id, { rejectOnEmpty: true });
  await sequelize.close();
  return { created: [created.id, created.customerId], read: [read.id, read.customerId] };
});
