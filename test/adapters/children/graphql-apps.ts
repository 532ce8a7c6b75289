/** Serves the orders of graphql-orders-app.ts in every style and on every driver, and sends their URLs to the parent. */
import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { HttpApp, type Platform, PLATFORMS } from '../http-apps.js';
import { ordersApp, STYLES } from './graphql-orders-app.js';
import { gatewayApp, ShipmentsModule } from './graphql-shipments.js';

async function served(platform: Platform, root: Type): Promise<string> {
  const { app } = await HttpApp.start(platform, root);
  return app.getUrl();
}

const urls: Record<string, string> = {};
for (const style of STYLES) {
  for (const platform of PLATFORMS) {
    urls[`${platform} ${style}`] = await served(platform, ordersApp(platform, style, 'alone'));
    urls[`${platform} ${style} subgraph`] = await served(platform, ordersApp(platform, style, 'subgraph'));
  }
  if (style === 'code-first') {
    urls['careless subgraph'] = await served('Express', ordersApp('Express', style, 'careless subgraph'));
  }
  const shipments = await served('Fastify', ShipmentsModule);
  urls[`${style} gateway`] = await served(
    'Fastify',
    gatewayApp(urls[`Fastify ${style} subgraph`]!, shipments),
  );
}
process.send?.({ urls });
