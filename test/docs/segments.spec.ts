import 'reflect-metadata';
import { Module, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Segments, type SegmentsOptions } from 'nestjs-snowflake-segments';
import { DataSource } from 'typeorm';
import { HttpApp } from '../adapters/http-apps.js';
import { databaseFor } from '../support/servers/index.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const code = new PageCode('docs/guides/segments.md');
let app: HttpApp;

beforeAll(async () => {
  const TicketsModule = await code.run<Type>('src/tickets.module.ts', 'TicketsModule');
  const url = await databaseFor('postgres', 'segments_page');
  const entities = [await code.run<Type>('src/ticket.entity.ts', 'Ticket')];
  const database = { type: 'postgres', url, entities, synchronize: true } as const;
  @Module({ imports: [TypeOrmModule.forRoot(database), TicketsModule] })
  class AppModule {}
  app = await HttpApp.start('Express', AppModule);
});
afterAll(() => app?.stop());

it('answers the request of the page as the page shows', async () => {
  const [shown = ''] = code.page.blocksIn('console').map(({ text }) => text);
  const response = await fetch(`${app.url}/tickets`, { method: 'POST' });
  expect(await response.text()).toBe(shown.trim().split('\n')[1]);
});

it('numbers the rows of the entity', async () => {
  const { manager } = app.app.get(DataSource);
  const rows = [await manager.save('Ticket', { title: 'a' }), await manager.save('Ticket', { title: 'b' })];
  expect(rows).toMatchObject([{ id: '2' }, { id: '3' }]);
});

it('starts a tag after the rows that exist', async () => {
  const dataSource = app.app.get(DataSource);
  await dataSource.query(`INSERT INTO ticket (id, title) VALUES (4711, 'old')`);
  const useFactory = await code.run<(source: DataSource) => SegmentsOptions>(
    'src/existing-tickets.ts',
    'useFactory',
  );
  const { tags = [], ...options } = useFactory(dataSource);
  const segments = new Segments({
    ...options,
    tags: tags.map((tag) => ({ ...(tag as object), tag: 'new' })),
  });
  await segments.start();
  expect(segments.source('new').next()).toBe(4712);
  await segments.stop();
});

testThatAllHaveRun(code);
