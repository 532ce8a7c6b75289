const { once } = require('node:events');
const { createServer } = require('node:http');
const { openShop } = require('./orders.cjs');

/** Serves the shop: POST /orders makes an order, GET /orders/:id reads it. */
exports.serve = async (port) => {
  const shop = await openShop();
  const server = createServer(async ({ method, url }, response) => {
    const order = method === 'POST' ? await shop.create() : await shop.find(url.split('/').at(-1));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(order));
  });
  await once(server.listen(port), 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    shop,
    async close() {
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
      await shop.close();
    },
  };
};

if (require.main === module) {
  void exports.serve(process.env.PORT ?? 3000).then(({ url, close }) => {
    process.once('SIGTERM', () => void close());
    console.log(url);
  });
}
