import 'reflect-metadata';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { databaseFor } from '../support/servers/index.js';
import { CodeProject } from './code-project.js';
import { TUTORIAL, tutorialApp } from './getting-started.js';
import { supportFolderOf } from './pages.js';
import { testTutorial } from './tutorial-test.js';

const project = new CodeProject(tutorialApp('sqlLeaseStore'), supportFolderOf('docs/getting-started.md'));
process.env.DATABASE_URL = await databaseFor('postgres', 'getting started');
testTutorial(project);

it('getting-started.md prints an ID with the time and the worker ID that are in it', () => {
  const [created, read] = TUTORIAL.blocks
    .filter(({ language }) => language === 'console')
    .flatMap(({ text }) => text.match(/^\{.*\}$/gm) ?? [])
    .map((json) => JSON.parse(json) as Record<string, unknown>);
  const { timestamp, workerId } = new IdDecoder(new BitLayout()).decode(String(created?.id));
  expect(read).toEqual({ ...created, madeAt: timestamp.toISOString(), workerId });
});
