import { createOrder, prisma } from './prisma.js';
import { CUSTOMER, report } from './session.js';

await report(async () => {
  await prisma.$executeRawUnsafe(
    'CREATE TABLE orders (id bigint PRIMARY KEY NOT NULL, customerId bigint NOT NULL)',
  );
  const created = await createOrder(CUSTOMER);
  const read = await prisma.order.findUniqueOrThrow({ where: { id: created.id } });
  await prisma.$disconnect();
  return { created: [created.id, created.customerId], read: [read.id, read.customerId] };
});
