import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import libsql from 'libsql';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { RegistryRow } from 'nestjs-snowflake/store';
import ts from 'typescript';
import { Consumer, STEP_WITHIN_MS } from '../../consumers/consumer.js';
import { freePort } from '../../../support/servers/index.js';
import { compilerOptions } from '../../../docs/compiler-options.js';
import { MarkdownPage, ROOT } from '../../../docs/markdown.js';
import { supportFolderOf } from '../../../docs/pages.js';

const PATH = 'docs/guides/deploy.md';
const VERSION = '7.0.4';
const PROCESSES = 2;

const page = MarkdownPage.read(PATH);
const decoder = new IdDecoder(new BitLayout());
let app: Consumer;
let leaseFile: string;
let url: string;

function write(path: string, text: string): void {
  const target = join(app.folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

/** Writes TypeScript as the JavaScript that `nest build` makes of it. */
function writeCompiled(file: string, text: string): void {
  const options = { ...compilerOptions(), noEmit: false, module: ts.ModuleKind.ESNext };
  const { outputText } = ts.transpileModule(text, { compilerOptions: options, fileName: file });
  write(`dist/${file.replace(/\.ts$/, '.js')}`, outputText);
}

/** Runs a command of pm2, whose daemon has its files in the folder of the app. */
const pm2 = (...args: string[]): Promise<unknown> =>
  app.run(join(app.folder, 'tool/node_modules/.bin/pm2'), ...args);

async function heldWorkerIds(): Promise<number[]> {
  const store = sqlLeaseStore({
    dataSource: { type: 'better-sqlite3', driver: libsql, database: leaseFile },
    namespace: 'shop',
  });
  try {
    await store.open?.({ callTimeoutMs: 5_000 });
    const rows: readonly RegistryRow[] = (await store.inspect()).rows;
    return rows.filter(({ fencingToken }) => fencingToken !== '').map(({ workerId }) => workerId);
  } finally {
    await store.close();
  }
}

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const settings: NodeJS.ProcessEnv = { PORT: String(port) };
  app = new Consumer(undefined, settings);
  leaseFile = join(app.folder, 'leases.db');
  Object.assign(settings, { PM2_HOME: join(app.folder, 'pm2'), LEASE_FILE: leaseFile });
  await app.install('--prefix', 'tool', `pm2@${VERSION}`);
  write('package.json', JSON.stringify({ type: 'module' }));
  symlinkSync(join(ROOT, 'node_modules'), join(app.folder, 'node_modules'), 'dir');
  for (const { text } of page.blocksIn('ts')) writeCompiled(/^\/\/ (\S+)\n/.exec(text)![1]!, text);
  for (const file of ['app.module.ts', 'lease-store.ts', 'orders.controller.ts']) {
    writeCompiled(file, readFileSync(join(supportFolderOf(PATH), file), 'utf8'));
  }
  const [ecosystem] = page.blocksIn('js');
  write('ecosystem.config.cjs', ecosystem!.text.replace(/instances: \d+/, `instances: ${PROCESSES}`));
}, STEP_WITHIN_MS);

afterAll(async () => {
  await pm2('kill').catch(() => undefined);
  app.remove();
}, STEP_WITHIN_MS);

describe('the settings for pm2', () => {
  it(
    'start processes that lease a worker ID each before pm2 reports them as running',
    async () => {
      await pm2('start', 'ecosystem.config.cjs');
      expect(await heldWorkerIds()).toEqual([0, 1]);
      const answer = await fetch(`${url}/id`);
      expect([0, 1]).toContain(decoder.decode(await answer.text()).workerId);
    },
    STEP_WITHIN_MS,
  );

  it(
    'replace the processes at a reload, and the old ones release their worker IDs',
    async () => {
      await pm2('reload', 'shop');
      expect(await heldWorkerIds()).toEqual([2, 3]);
      await expect(fetch(`${url}/id`)).resolves.toMatchObject({ status: 200 });
    },
    STEP_WITHIN_MS,
  );

  it(
    'leave the processes enough time to release their worker IDs when they stop',
    async () => {
      await pm2('stop', 'shop');
      expect(await heldWorkerIds()).toEqual([]);
    },
    STEP_WITHIN_MS,
  );

  it('the page names the grace period of the installed pm2', () => {
    const constants = readFileSync(join(app.folder, 'tool/node_modules/pm2/constants.js'), 'utf8');
    const [, seconds = ''] = /\*\*PM2\*\* waits for ([\d.]+) s/.exec(page.text) ?? [];
    expect(constants).toMatch(new RegExp(`KILL_TIMEOUT +: .*\\|\\| ${parseFloat(seconds) * 1_000},`));
  });
});
