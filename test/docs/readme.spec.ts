import 'reflect-metadata';
import type { DynamicModule, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Redis } from 'ioredis';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { type HeldLeases, heldInPostgres, heldInRedis } from '../lab/consumers/held-leases.js';
import { databaseFor, type RedisServer, startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { CodeProject } from './code-project.js';
import { codeIn, MarkdownPage } from './markdown.js';

/** Less than a test may take, so that what is awaited is named. */
const RELEASED_WITHIN_MS = 20_000;

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

async function emptied(url: string): Promise<void> {
  const client = new Redis(url);
  await client.flushall();
  client.disconnect();
}

/** A module on an empty store, and how to read who holds a worker ID there. */
type TryOut = readonly [CodeProject, HeldLeases];

/** Boots the module of the README, makes IDs, and stops it. Returns its last state, if the stop has released its worker ID. */
async function stateAfterRelease([project, held]: TryOut): Promise<string | undefined> {
  const { AppModule } = await project.import<Record<'AppModule', Type>>('app.module.ts');
  const app = await boot({ ...ScheduleModule.forRoot(), imports: [AppModule] });
  const ids = app.get(SnowflakeIdMaker);
  let isReleased = false;
  ids.subscribe(({ type }) => (isReleased ||= type === 'released'));
  try {
    const made = [ids.nextId(), ids.nextId()];
    expect(made.toSorted()).toEqual(made);
    expect(made.map((id) => ids.decode(id).workerId)).toEqual([0, 0]);
    expect(app.get(SchedulerRegistry).getIntervals()).toContain('snowflake:lease:default');
    expect(await held()).toEqual([0]);
  } finally {
    await app.close();
  }
  if (!isReleased) return undefined;
  expect(await held()).toEqual([]);
  return ids.status().state;
}

/** A stop releases a worker ID within half a second or not at all, and a busy machine can miss that: then all begins anew. */
const tryOut = (beginAnew: () => Promise<TryOut>): Promise<string> =>
  waitFor('a stop that releases the worker ID', RELEASED_WITHIN_MS, async () =>
    stateAfterRelease(await beginAnew()),
  );

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
    const state = await tryOut(async () => {
      const url = await databaseFor('postgres', 'readme');
      process.env.DATABASE_URL = url;
      return [projectOf(module!.text), () => heldInPostgres(url)];
    });
    expect(state).toBe('stopped');
  });

  it('boots on Redis with the store that the text names, and releases its worker ID when it stops', async () => {
    process.env.REDIS_URL = redis.url;
    const state = await tryOut(async () => {
      await emptied(redis.url);
      return [projectOf(onRedis(module!.text)), () => heldInRedis(redis.url)];
    });
    expect(state).toBe('stopped');
  });
});
