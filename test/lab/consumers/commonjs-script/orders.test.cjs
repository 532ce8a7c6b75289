const assert = require('node:assert/strict');
const { test } = require('node:test');
const { serve } = require('./server.cjs');

test('orders are inserted, and their IDs are read as strings', async () => {
  const { url, shop, close } = await serve(0);
  const created = await (await fetch(`${url}/orders`, { method: 'POST' })).json();
  assert.match(created.id, /^\d{15,19}$/);
  assert.match(created.customerId, /^\d{15,19}$/);
  assert.deepEqual(await (await fetch(`${url}/orders/${created.id}`)).json(), created);
  assert.equal(shop.workerIdOf(created.id), shop.workerId());
  await close();
});
