// Prints what a Nest app with the files of the guide writes: node run-page.mjs postgresql <url>
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { bigintAsText } from 'nestjs-snowflake/http';
import { SnowflakeTestingModule } from 'nestjs-snowflake/testing';
import { once } from 'node:events';
import { createServer } from 'node:net';
import process from 'node:process';
import { refusalOf, URL_OF_DATABASE } from './database.mjs';

process.env.DATABASE_URL = URL_OF_DATABASE;
const { OrdersService } = await import('./out/page/orders.service.js');
const { PrismaModule } = await import('./out/page/prisma.module.js');
const { PrismaService } = await import('./out/page/prisma.service.js');

const ids = SnowflakeTestingModule.forRoot({ start: 1001, mayRepeat: true });
const App = function App() {};
Module({ imports: [ids, PrismaModule], providers: [OrdersService] })(App);
const Unextended = function Unextended() {};
Module({ imports: [ids], providers: [OrdersService, PrismaService] })(Unextended);
const boot = (root) => NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });

const app = await boot(App);
const db = app.get(PrismaService);
await db.$executeRaw`CREATE TABLE orders (id BIGINT NOT NULL PRIMARY KEY, note TEXT NOT NULL)`;
await db.$executeRaw`CREATE TABLE lines (id BIGINT NOT NULL PRIMARY KEY, sku TEXT NOT NULL, order_id BIGINT NOT NULL)`;
const order = await app.get(OrdersService).create('gift', ['PEN', 'INK']);
const served = await serve();
await db.$executeRaw`ALTER TABLE lines ALTER COLUMN id SET DEFAULT 0`;
const inTransaction = await db.$transaction((tx) => tx.order.create({ data: { note: 'in a transaction' } }));
await app.close();
const withDefault = await refusalOf(() => boot(App));
const unextended = await refusalOf(() => boot(Unextended));
console.log(JSON.stringify({ order, inTransaction, served, withDefault, unextended }, bigintAsText));
process.exit();

/** Starts the app of the page, and returns its answers. */
async function serve() {
  const server = createServer().listen(0);
  await once(server, 'listening');
  process.env.PORT = String(server.address().port);
  process.env.NODE_ENV = 'development';
  await new Promise((closed) => server.close(closed));
  await import('./out/page/main.js');
  const orders = `http://localhost:${process.env.PORT}/orders`;
  const answer = async (path, request) => (await fetch(`${orders}${path}`, request)).json();
  const headers = { 'content-type': 'application/json' };
  const body = '{"note":"gift","skus":["PEN"]}';
  const made = await answer('', { method: 'POST', headers, body });
  return [made, await answer(`/${made.id}`), await answer('/1'), await answer('/abc')];
}
