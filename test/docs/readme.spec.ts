import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { runHere } from '../../libs/snowflake-cli/test/run-here.js';
import { HttpApp } from '../adapters/http-apps.js';
import { type HeldLeases, heldInPostgres, heldInRedis } from '../lab/consumers/held-leases.js';
import { boot } from '../support/boot.js';
import { cleanUpAfterAll } from '../support/clean-up.js';
import { databaseFor, startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { CodeProject } from './code-project.js';
import { tutorialInit } from './getting-started.js';
import { codeIn, MarkdownPage } from './markdown.js';

/** Less than a test may take, so that what is awaited is named. */
const RELEASED_WITHIN_MS = 20_000;

const readme = MarkdownPage.read('README.md');
const [quickStart, entity] = readme.blocksIn('ts');
const FILE = 'src/app.module.ts';

function projectOf(text: string): CodeProject {
  return new CodeProject([{ ...quickStart!, text }]);
}

const moduleOf = (project: CodeProject): Promise<Type> => project.run(FILE, 'AppModule');

describe('the quick start of the README', () => {
  it('answers with an ID, as the page shows, and needs no server', async () => {
    const app = await HttpApp.start('Express', await moduleOf(projectOf(quickStart!.text)));
    const [session] = readme.blocksIn('console');
    const printed = JSON.parse(session?.text.split('\n')[1] ?? '') as object;
    const answer = (await app.post('/orders', '{}')).body as { readonly id: string };
    expect(Object.keys(answer)).toEqual(Object.keys(printed));
    expect(app.app.get(SnowflakeIdMaker).decode(answer.id)).toMatchObject({ sequence: 0 });
    await app.stop();
  });

  it('is followed by an entity that loads', async () => {
    expect(await new CodeProject([entity!]).run('src/order.entity.ts', 'Order')).toBeDefined();
  });
});

/** The quick start after the change of its store that a column of the README shows. */
function withStore(column: 'Redis' | 'SQL', url: string): string {
  const [table] = readme.tablesUnder('In production, the store changes');
  const cell = (row: string): string =>
    codeIn(table?.rows.find(([name = '']) => name.includes(row))?.[table.columns.indexOf(column)] ?? '')[0] ??
    '';
  const store = cell('store');
  const [made = ''] = /^\w+/.exec(store) ?? [];
  return quickStart!.text
    .replace('memoryLeaseStore, ', '')
    .replace('memoryLeaseStore()', store)
    .replace('\n', `\nimport { ${made} } from '${cell('Import')}';\nconst url = '${url}';\n`);
}

/** Declares the namespace new, with the command of "The first start", which a first start in production needs not to wait. */
async function initialized(
  ...[flag, url, more = []]: [...Parameters<typeof tutorialInit>, string[]?]
): Promise<void> {
  const { code, stderr } = await runHere([...tutorialInit(flag, url), '--yes', ...more], undefined, Date.now);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

/** A module on a new store, and how to read who holds a worker ID there. */
type TryOut = readonly [CodeProject, HeldLeases];

/** Boots the module, makes IDs, and stops it. Returns its last state, if the stop has released its worker ID. */
async function stateAfterRelease([project, held]: TryOut): Promise<string | undefined> {
  const app = await boot({ ...ScheduleModule.forRoot(), imports: [await moduleOf(project)] });
  const ids = app.get(SnowflakeIdMaker);
  let isReleased = false;
  ids.subscribe(({ type }) => (isReleased ||= type === 'released'));
  try {
    const made = [ids.nextId(), ids.nextId()];
    expect(made.toSorted()).toEqual(made);
    expect(app.get(SchedulerRegistry).getIntervals()).toContain('snowflake:lease:default');
    expect(await held()).toEqual(made.slice(1).map((id) => ids.decode(id).workerId));
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

describe('the change of the README for production', () => {
  const cleanUp = cleanUpAfterAll();

  it('leases from Redis, makes IDs, and releases its worker ID when it stops', async () => {
    const state = await tryOut(async () => {
      const redis = await startRedis();
      cleanUp(() => redis.stop());
      const { url } = redis;
      await initialized('--redis', url);
      return [projectOf(withStore('Redis', url)), () => heldInRedis(url)];
    });
    expect(state).toBe('stopped');
  });

  it('leases from a SQL database, makes IDs, and releases its worker ID when it stops', async () => {
    const state = await tryOut(async () => {
      const url = await databaseFor('postgres', 'readme');
      await initialized('--database', url, ['--create-table']);
      return [projectOf(withStore('SQL', url)), () => heldInPostgres(url)];
    });
    expect(state).toBe('stopped');
  });
});
