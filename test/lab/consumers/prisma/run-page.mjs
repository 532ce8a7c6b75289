// Prints what a Nest app with the files of the guide writes: node run-page.mjs postgresql <url>
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SnowflakeTestingModule } from 'nestjs-snowflake/testing';
import process from 'node:process';
import { refusalOf, URL_OF_DATABASE } from './database.mjs';

process.env.DATABASE_URL = URL_OF_DATABASE;
const { OrdersService } = await import('./out/page/orders.service.js');
const { PrismaService } = await import('./out/page/prisma.service.js');

const App = function App() {};
Module({
  imports: [SnowflakeTestingModule.forRoot({ start: 1001, mayRepeat: true })],
  providers: [OrdersService, PrismaService],
})(App);

const app = await NestFactory.createApplicationContext(App, { logger: false });
const { db } = app.get(PrismaService);
await db.$executeRaw`CREATE TABLE orders (id BIGINT NOT NULL PRIMARY KEY, note TEXT NOT NULL)`;
await db.$executeRaw`CREATE TABLE lines (id BIGINT NOT NULL PRIMARY KEY, sku TEXT NOT NULL, order_id BIGINT NOT NULL)`;
const order = await app.get(OrdersService).create('gift', ['PEN', 'INK']);
await db.$executeRaw`ALTER TABLE lines ALTER COLUMN id SET DEFAULT 0`;
await app.close();
const boot = await refusalOf(() =>
  NestFactory.createApplicationContext(App, { logger: false, abortOnError: false }),
);
const text = (_key, value) => (typeof value === 'bigint' ? value.toString() : value);
console.log(JSON.stringify({ order, boot }, text));
