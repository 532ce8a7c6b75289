import { rejects, strictEqual } from 'node:assert';
import { eq, Param, sql } from 'drizzle-orm';
import { db, orders } from './drizzle.js';
import { CUSTOMER, report, TABLE } from './session.js';

await report(async () => {
  await db.run(TABLE);
  const [created] = await db.insert(orders).values({ customerId: CUSTOMER }).returning();
  const [read] = await db.select().from(orders).where(eq(orders.id, created!.id));
  // The next number that a double holds is the ID of another row.
  const neighbor = String(BigInt(Number(CUSTOMER)));
  await db.insert(orders).values({ id: neighbor, customerId: CUSTOMER });
  const find = (condition: unknown, rounded: unknown) =>
    db
      .select()
      .from(orders)
      .where(eq(orders.id, condition as string))
      .prepare()
      .execute({ id: rounded });
  // Control: Drizzle passes on the value of a bare placeholder.
  strictEqual((await find(sql.placeholder('id'), Number(CUSTOMER))).length, 1);
  const checked = new Param(sql.placeholder('id'), orders.id);
  await rejects(async () => find(checked, Number(CUSTOMER)), { code: 'SNOWFLAKE_INVALID_ID' });
  strictEqual((await find(checked, neighbor))[0]?.id, neighbor);
  return { created: [created!.id, created!.customerId], read: [read!.id, read!.customerId] };
});
