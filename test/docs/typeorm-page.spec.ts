import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { IdDecoder } from 'nestjs-snowflake/core';
import { DataSource, type EntitySchema } from 'typeorm';
import { databaseFor } from '../support/servers/index.js';
import { CodeProject } from './code-project.js';
import { codeIn, MarkdownPage, ROOT } from './markdown.js';

const page = MarkdownPage.read('docs/typeorm.md');
const project = new CodeProject(page.blocksIn('ts'));
afterAll(() => project.remove());

async function exported<Exported>(file: string, name: string): Promise<Exported> {
  const exports = await project.import<Record<string, Exported>>(file);
  return exports[name]!;
}

describe('the TypeScript of docs/typeorm.md', () => {
  it('compiles', () => {
    expect(project.problems()).toEqual([]);
  });

  it('is a database that gets its IDs before it exists, with a class and a schema', async () => {
    process.env.DATABASE_URL = await databaseFor('postgres', 'typeorm page');
    const Invoice = await exported<Type<{ id: string; createdAt: Date }>>('invoice.entity.ts', 'Invoice');
    const Shipment = await exported<EntitySchema<{ id: string; orderId: string }>>(
      'shipment.schema.ts',
      'ShipmentSchema',
    );
    const root = {
      module: await exported<Type>('database.module.ts', 'DatabaseModule'),
      imports: [
        SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 5 }) }),
        TypeOrmModule.forFeature([Invoice, Shipment]),
      ],
    };
    const app: INestApplicationContext = await NestFactory.createApplicationContext(root, {
      logger: false,
      abortOnError: false,
    });
    try {
      const [dataSource, ids] = [app.get(DataSource), app.get(SnowflakeIdMaker)];
      await dataSource.synchronize();
      const invoice = await dataSource.manager.save(Invoice, new Invoice());
      expect(ids.decode(invoice.id).workerId).toBe(5);
      expect(invoice.createdAt).toEqual(new IdDecoder(ids.layout).decode(invoice.id).timestamp);
      const { id } = await dataSource.manager.save(Shipment, { orderId: invoice.id });
      await expect(dataSource.manager.findOneBy(Shipment, { orderId: invoice.id })).resolves.toMatchObject({
        id,
      });
    } finally {
      await app.close();
    }
  });
});

it('names tests that exist, and links that lead somewhere', () => {
  const files = codeIn(page.prose).filter((code) => /^test\/.*\.ts$/.test(code));
  const linked = page.links.filter((target) => !target.startsWith('#')).map((target) => `docs/${target}`);
  expect(files.length).toBeGreaterThan(0);
  for (const file of [...files, ...linked]) expect(readFileSync(`${ROOT}/${file}`, 'utf8')).not.toBe('');
});

it.each(['docs/typeorm.md', 'docs/guides/migrating-from-auto-increment.md'])(
  '%s is 200 lines at most',
  (path) => {
    expect(MarkdownPage.read(path).text.split('\n').length).toBeLessThanOrEqual(201);
  },
);
