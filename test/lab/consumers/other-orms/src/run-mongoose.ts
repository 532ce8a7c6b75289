import { OrderModel } from './mongoose.js';
import { CUSTOMER, report } from './session.js';

await report(async () => {
  const created = new OrderModel({ customerId: CUSTOMER });
  await created.validate();
  const read = JSON.parse(JSON.stringify(created)) as { id: string; customerId: string };
  return { created: [created.get('_id'), created.customerId], read: [read.id, read.customerId] };
});
