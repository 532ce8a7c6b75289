import 'reflect-metadata';
import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { type HeldLeases, heldInPostgres, heldInRedis } from '../lab/consumers/held-leases.js';
import { databaseFor, type RedisServer, startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { CodeProject } from './code-project.js';
import { codeIn, MarkdownPage } from './markdown.js';

/** Less than a test may take, so that what is awaited is named. */
const RELEASED_WITHIN_MS = 10_000;

const readme = MarkdownPage.read('README.md');
const [module] = readme.blocksIn('ts');
/** The store that the text names for Redis. */
const redisStore = codeIn(readme.prose).find((code) => code.startsWith('redisLeaseStore('));

/** The module of the README with the store for Redis, as a reader changes it. */
function onRedis(text: string): string {
  return text
    .replace(
      "import { sqlLeaseStore } from 'nestjs-snowflake/sql';",
      "import { redisLeaseStore } from 'nestjs-snowflake/redis';",
    )
    .replace(/sqlLeaseStore\(\{[^}]*\}\)/, redisStore ?? '');
}

const boot = (root: Type | DynamicModule): Promise<INestApplicationContext> =>
  NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });

/** Boots the module of the README, makes IDs, stops it, and waits until its worker ID is free. Returns its last state. */
async function stateAfterTryingOut(project: CodeProject, held: HeldLeases): Promise<string> {
  const { AppModule } = await project.import<Record<'AppModule', Type>>('app.module.ts');
  const app = await boot({ ...ScheduleModule.forRoot(), imports: [AppModule] });
  const ids = app.get(SnowflakeIdMaker);
  try {
    const made = [ids.nextId(), ids.nextId()];
    expect(made.toSorted()).toEqual(made);
    expect(made.map((id) => ids.decode(id).workerId)).toEqual([0, 0]);
    expect(app.get(SchedulerRegistry).getIntervals()).toContain('snowflake:lease:default');
    expect(await held()).toEqual([0]);
  } finally {
    await app.close();
  }
  await waitFor('the worker ID to be released', RELEASED_WITHIN_MS, async () => (await held()).length === 0);
  return ids.status().state;
}

describe('the module of the README', () => {
  const projects: CodeProject[] = [];
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis?.stop();
    for (const project of projects) project.remove();
  });

  function projectOf(text: string): CodeProject {
    const project = new CodeProject([{ ...module!, text }]);
    projects.push(project);
    return project;
  }

  it('boots on a SQL database, makes IDs, and releases its worker ID when it stops', async () => {
    const url = await databaseFor('postgres', 'readme');
    process.env.DATABASE_URL = url;
    const state = await stateAfterTryingOut(projectOf(module!.text), () => heldInPostgres(url));
    expect(state).toBe('stopped');
  });

  it('boots on Redis with the store that the text names, and releases its worker ID when it stops', async () => {
    process.env.REDIS_URL = redis.url;
    const project = projectOf(onRedis(module!.text));
    expect(await stateAfterTryingOut(project, () => heldInRedis(redis.url))).toBe('stopped');
  });
});
