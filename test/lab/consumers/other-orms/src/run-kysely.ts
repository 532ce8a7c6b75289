import { sql } from 'kysely';
import { createOrder, db } from './kysely.js';
import { CUSTOMER, report, TABLE } from './session.js';

await report(async () => {
  await sql.raw(TABLE).execute(db);
  const created = await createOrder(CUSTOMER);
  const read = await db.selectFrom('orders').selectAll().executeTakeFirstOrThrow();
  await db.destroy();
  return { created: [created.id, created.customer_id], read: [read.id, read.customer_id] };
});
