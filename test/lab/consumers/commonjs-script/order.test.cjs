const assert = require('node:assert/strict');
const { test } = require('node:test');
const { OrderSchema } = require('./order.cjs');

test('an order has an ID of its own and one of a customer', () => {
  assert.deepEqual(Object.keys(OrderSchema.options.columns), ['id', 'customerId']);
});
