import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildEnd, spawnChild, type TestChild } from '../../../support/child.js';
import { databaseFor, freePort, startRedis } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { CodeProject } from '../../../docs/code-project.js';
import { TUTORIAL, tutorialApp, type TutorialStore, withSqlite } from '../../../docs/getting-started.js';
import { supportFolderOf } from '../../../docs/pages.js';

const START_WITHIN_MS = 120_000;
const END_WITHIN_MS = 60_000;

/** The app of the page, after `change` of its code. */
function appOf(store: TutorialStore, change?: (code: string) => string): CodeProject {
  return new CodeProject(tutorialApp(store, change), supportFolderOf('docs/getting-started.md'));
}

/** A process that runs the app of the page. */
class RunningApp {
  private constructor(
    private readonly child: TestChild,
    private readonly url: string,
  ) {}

  static async start(project: CodeProject, env: NodeJS.ProcessEnv): Promise<RunningApp> {
    const port = await freePort();
    const file = project.pathOf('src/main.ts');
    const child = spawnChild(file, { env: { ...env, PORT: String(port) } });
    const app = new RunningApp(child, `http://localhost:${port}`);
    await waitFor(
      () => `the app to answer: ${child.stderr}`,
      START_WITHIN_MS,
      async () => (await fetch(app.url).catch(() => undefined))?.ok,
    );
    return app;
  }

  /** The first `curl` of the page. */
  async post(body: string): Promise<Record<string, unknown>> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(`${this.url}/orders`, { method: 'POST', headers, body });
    return (await response.json()) as Record<string, unknown>;
  }

  /** The second `curl` of the page. */
  async get(id: unknown): Promise<Record<string, unknown>> {
    return (await (await fetch(`${this.url}/orders/${String(id)}`)).json()) as Record<string, unknown>;
  }

  stop(): Promise<ChildEnd> {
    return this.child.kill('SIGTERM', END_WITHIN_MS);
  }

  kill(): Promise<ChildEnd> {
    return this.child.kill('SIGKILL');
  }
}

/** What the page prints for its two commands. */
const [created, read] = TUTORIAL.blocks
  .filter(({ language }) => language === 'console')
  .flatMap(({ text }) => text.match(/^\{.*\}$/gm) ?? [])
  .map((json) => JSON.parse(json) as Record<string, unknown>);

async function expectTwoProcesses(project: CodeProject, env: NodeJS.ProcessEnv): Promise<void> {
  const apps: RunningApp[] = [];
  try {
    for (const [workerId, item] of ['PEN', 'INK'].entries()) {
      const app = await RunningApp.start(project, env);
      apps.push(app);
      const order = await app.post(`item=${item}`);
      expect(order).toEqual({ item, id: expect.stringMatching(/^\d{18,19}$/) });
      expect(Object.keys(order)).toEqual(Object.keys(created!));
      const found = await app.get(order.id);
      expect(found).toMatchObject({ id: order.id, item, workerId });
      expect(Object.keys(found)).toEqual(Object.keys(read!));
    }
    for (const app of apps) expect(await app.stop()).toEqual({ code: 0, signal: null });
  } finally {
    for (const app of apps) await app.kill();
  }
}

describe('the app of the tutorial', () => {
  it('inserts rows in two processes with different worker IDs, and stops with exit code 0', async () => {
    const DATABASE_URL = await databaseFor('postgres', 'getting started twice');
    await expectTwoProcesses(appOf('sqlLeaseStore'), { DATABASE_URL });
  });

  it('inserts rows in two processes with different worker IDs from Redis', async () => {
    const DATABASE_URL = await databaseFor('postgres', 'getting started twice on Redis');
    const redis = await startRedis();
    try {
      await expectTwoProcesses(appOf('redisLeaseStore'), { DATABASE_URL, REDIS_URL: redis.url });
    } finally {
      await redis.stop();
    }
  });

  it('inserts rows in two processes on SQLite after the change of the page', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-sqlite-')));
    try {
      const sqlite = appOf('sqlLeaseStore', (code) =>
        withSqlite(code).replaceAll('shop.sqlite', `${folder}/shop.sqlite`),
      );
      await expectTwoProcesses(sqlite, {});
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
