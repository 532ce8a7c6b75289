import 'reflect-metadata';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { databaseFor } from '../support/servers/index.js';
import { CodeProject } from './code-project.js';
import { TUTORIAL, tutorialApp } from './getting-started.js';
import { supportFolderOf } from './pages.js';

const project = new CodeProject(tutorialApp('sqlLeaseStore'), supportFolderOf('docs/getting-started.md'));
afterAll(() => project.remove());

process.env.DATABASE_URL = await databaseFor('postgres', 'getting started');
// This spec has its own file, because it runs the app of the page.
await project.import('test/orders.e2e-spec.ts');

it('getting-started.md prints an ID with the time and the worker ID that are in it', () => {
  const [created, read] = TUTORIAL.blocks
    .filter(({ language }) => language === 'console')
    .flatMap(({ text }) => text.match(/^\{.*\}$/gm) ?? [])
    .map((json) => JSON.parse(json) as Record<string, unknown>);
  const { timestamp, workerId } = new IdDecoder(new BitLayout()).decode(String(created?.id));
  expect(read).toEqual({ ...created, madeAt: timestamp.toISOString(), workerId });
});
