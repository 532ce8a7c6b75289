import { once } from 'node:events';
import { connect } from 'node:net';
import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { type ChildEnd, spawnChild, type TestChild } from '../../../support/child.js';
import { databaseFor, freePort } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { CodeProject } from '../../../docs/code-project.js';
import { MarkdownPage } from '../../../docs/markdown.js';
import { supportFolderOf } from '../../../docs/pages.js';

const PATH = 'docs/guides/deploy.md';
const START_WITHIN_MS = 120_000;
const END_WITHIN_MS = 60_000;
const TEST_WITHIN_MS = START_WITHIN_MS + 2 * END_WITHIN_MS;

jest.setTimeout(TEST_WITHIN_MS);

const page = MarkdownPage.read(PATH);
const children: TestChild[] = [];
let url: string;
let database: DataSource;

beforeAll(async () => {
  url = await databaseFor('postgres', 'shutdown page');
  database = await new DataSource({ type: 'postgres', url }).initialize();
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
});
afterAll(async () => {
  await database?.destroy();
});

/** A process with the `main.ts` of the page, after `change` of its text. */
class Served {
  private constructor(
    readonly child: TestChild,
    readonly port: number,
  ) {}

  static async start(change: (main: string) => string, env: NodeJS.ProcessEnv = {}): Promise<Served> {
    const [main, ...others] = page.blocksIn('ts');
    const text = change(main!.text);
    const project = new CodeProject([{ language: 'ts', text }, ...others], supportFolderOf(PATH));
    const port = await freePort();
    const settings = { DATABASE_URL: url, PORT: String(port), ...env };
    const child = spawnChild(project.pathOf(project.files[0]!), { env: settings, keepsStdout: true });
    children.push(child);
    await waitFor(
      () => `the app to answer: ${child.stderr}`,
      START_WITHIN_MS,
      async () => (await fetch(`http://localhost:${port}`).catch(() => undefined))?.ok,
    );
    return new Served(child, port);
  }

  terminate(): Promise<ChildEnd> {
    return this.child.kill('SIGTERM', END_WITHIN_MS);
  }
}

/** How many worker IDs are held. */
async function held(): Promise<number> {
  const rows: unknown[] = await database.query(`SELECT 1 FROM snowflake_lease WHERE fencing_token <> ''`);
  return rows.length;
}

const isSlow = (message: unknown): message is string => message === 'slow';
const asWritten = (main: string): string => main;
/** Closes connections early, and ends the process after `endMs`. */
const shorter =
  (endMs: number) =>
  (main: string): string =>
    main.replace('8_000', '300').replace('12_000', String(endMs));

describe('the main file of the page on shutdown', () => {
  it('answers a request in flight, which generates an ID, releases the lease, and exits with 0', async () => {
    const served = await Served.start(asWritten);
    const answer = fetch(`http://localhost:${served.port}/slow`).then((response) => response.text());
    await served.child.next(isSlow);
    const end = served.terminate();
    expect(await answer).toMatch(/^\d{18,19}$/);
    expect(await end).toEqual({ code: 0, signal: null });
    expect(await held()).toBe(0);
  });

  it('ends by the signal with plain enableShutdownHooks(), and releases the lease too', async () => {
    const served = await Served.start((main) => main.replace('[], { useProcessExit: true }', ''));
    expect(await served.terminate()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(await held()).toBe(0);
  });

  it('closes an idle connection', async () => {
    // An end so late that no pause of the machine lets it come before the server has closed.
    const served = await Served.start(shorter(50_000));
    const client = connect(served.port, 'localhost').on('error', () => undefined);
    await once(client, 'connect');
    expect(await served.terminate()).toEqual({ code: 0, signal: null });
    expect(await held()).toBe(0);
    client.destroy();
  });

  it('exits with 1 if a hook hangs, after it has released the lease', async () => {
    const served = await Served.start(shorter(8_000), { HANGS: 'yes', DRAIN_MS: '500' });
    expect(await served.terminate()).toEqual({ code: 1, signal: null });
    expect(await held()).toBe(0);
  });

  // It comes last, because it leaves a lease behind.
  it('keeps the lease without enableShutdownHooks (control)', async () => {
    const served = await Served.start((main) =>
      main
        .replace(/^ +app\.enableShutdownHooks.*\n/m, '')
        .replace(/^ +process\.once.*\n/m, 'void endInTime;\n'),
    );
    expect(await served.terminate()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(await held()).toBe(1);
  });
});
