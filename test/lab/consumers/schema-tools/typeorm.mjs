// Runs `synchronize`, or drops the schema: node typeorm.mjs <postgres | mariadb> <url> [careless]
import 'reflect-metadata';
import { DataSource, EntitySchema } from 'typeorm';
import process from 'node:process';

const [, , type, url, careless] = process.argv;
const order = new EntitySchema({ name: 'orders', columns: { id: { type: 'bigint', primary: true } } });
const options = { type, url, entities: [order], synchronize: true, dropSchema: careless !== undefined };
const dataSource = await new DataSource(options).initialize();
await dataSource.destroy();
