import { eq } from 'drizzle-orm';
import { db, orders } from './drizzle.js';
import { CUSTOMER, report, TABLE } from './session.js';

await report(async () => {
  await db.run(TABLE);
  const [created] = await db.insert(orders).values({ customerId: CUSTOMER }).returning();
  const [read] = await db.select().from(orders).where(eq(orders.id, created!.id));
  return { created: [created!.id, created!.customerId], read: [read!.id, read!.customerId] };
});
