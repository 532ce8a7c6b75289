import { deepStrictEqual } from 'node:assert';
import { model, Schema } from 'mongoose';
import { OrderModel, snowflakeIds } from './mongoose.js';
import { CUSTOMER, report } from './session.js';

await report(async () => {
  const created = new OrderModel({ customerId: CUSTOMER });
  await created.validate();
  const read = JSON.parse(JSON.stringify(created)) as { id: string; customerId: string };
  requireTextInEachForm();
  return { created: [created.get('_id'), created.customerId], read: [read.id, read.customerId] };
});

/** JSON of IDs in arrays, subdocuments, nested paths, maps and mixed values. */
function requireTextInEachForm(): void {
  const id = BigInt(CUSTOMER);
  const big = Schema.Types.BigInt;
  const schema = new Schema(
    {
      _id: big,
      list: [big],
      lines: [new Schema({ productId: big }, { _id: false })],
      meta: { ownerId: big },
      byRole: { type: Map, of: big },
      mixed: Schema.Types.Mixed,
      at: Date,
    },
    { autoCreate: false },
  );
  schema.plugin(snowflakeIds);
  const at = new Date(0);
  const Form = model('Form', schema);
  const form = new Form({
    _id: id,
    list: [id],
    lines: [{ productId: id }],
    meta: { ownerId: id },
    byRole: { admin: id },
    mixed: { deep: [{ id }] },
    at,
  });
  deepStrictEqual(JSON.parse(JSON.stringify(form)), {
    id: CUSTOMER,
    list: [CUSTOMER],
    lines: [{ productId: CUSTOMER }],
    meta: { ownerId: CUSTOMER },
    byRole: { admin: CUSTOMER },
    mixed: { deep: [{ id: CUSTOMER }] },
    at: at.toISOString(),
  });
}
