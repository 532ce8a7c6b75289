import { snowflakeIds, type PrismaIdMaker } from 'nestjs-snowflake/prisma';
import { PrismaClient, type Order } from './generated/postgresql/client.js';
import { snowflakeModels } from './snowflake-models-postgresql.js';

declare const options: ConstructorParameters<typeof PrismaClient>[0] & object;
export const makeDb = (ids: PrismaIdMaker) =>
  new PrismaClient(options).$extends(snowflakeIds(ids, snowflakeModels));
export type Db = ReturnType<typeof makeDb>;

export async function keepsTypes(db: Db): Promise<Order> {
  const order = await db.order.create({
    data: { note: 'typed', customer: { create: { name: 'a' } }, lines: { create: [{ sku: 'b' }] } },
    include: { lines: true },
  });
  const ids: bigint[] = [order.id, ...order.lines.map((line) => line.id)];
  await db.order.createMany({ data: [{ note: 'no ID' }, { id: ids[0], note: 'explicit ID' }] });
  await db.tag.upsert({ where: { name: 'x' }, create: { name: 'x' }, update: {} });
  const rows: number = await db.$transaction(async (tx) => {
    const { id } = await tx.part.create({ data: { name: 'in a transaction' } });
    return id > 0n ? 1 : 0;
  });
  const [one, count] = await db.$transaction([
    db.part.create({ data: { name: String(rows) } }),
    db.part.count(),
  ]);
  const added: number = count + Number(one.name);
  // Another extension adds to the types.
  const named = db.$extends({
    result: { order: { label: { needs: { note: true }, compute: ({ note }) => note } } },
  });
  const label: string = (await named.order.findFirstOrThrow({ where: { id: order.id } })).label;
  // @ts-expect-error a string is no key
  await db.order.findUnique({ where: { id: `${label}${added}` } });
  // @ts-expect-error the model has no such field
  await db.order.create({ data: { note: 'typed', weight: 1 } });
  // @ts-expect-error a required field is missing
  await db.order.create({ data: {} });
  return order;
}
