/** Serves the orders of graphql-orders-app.ts in every style and on every driver, and sends the URL of each to the parent. */
import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { HttpApp, type Platform, PLATFORMS } from '../http-apps.js';
import { ordersApp, STYLES } from './graphql-orders-app.js';
import { gatewayApp, ShipmentsModule } from './graphql-shipments.js';

async function serve(app: string, platform: Platform, root: Type): Promise<string> {
  const { url } = await HttpApp.start(platform, root);
  process.send?.({ app, url });
  return url;
}

for (const style of STYLES) {
  const subgraphs: Partial<Record<Platform, string>> = {};
  for (const platform of PLATFORMS) {
    const name = `${platform} ${style}`;
    await serve(name, platform, ordersApp(platform, style, 'alone'));
    subgraphs[platform] = await serve(`${name} subgraph`, platform, ordersApp(platform, style, 'subgraph'));
  }
  if (style === 'code-first') {
    await serve('careless subgraph', 'Express', ordersApp('Express', style, 'careless subgraph'));
  }
  const shipments = await serve(`${style} shipments`, 'Fastify', ShipmentsModule);
  await serve(`${style} gateway`, 'Fastify', gatewayApp(subgraphs.Fastify!, shipments));
}
