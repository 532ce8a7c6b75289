import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

type CreateOrder = components['schemas']['CreateOrderDto'];

const [baseUrl = '', customerId = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });
const order: CreateOrder = { customerId, productIds: [customerId, '7'] };

const created = await client.POST('/orders', { body: order });
if (created.data === undefined) throw new Error(JSON.stringify(created.error));
const id: string = created.data.id;
const productIds: string[] = created.data.productIds;
const found = await client.GET('/orders/{id}', {
  params: { path: { id }, query: { after: customerId, ids: productIds } },
});
process.stdout.write(JSON.stringify({ created: created.data, found: found.data }));
