import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import libsql from 'libsql';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import type { RegistryRow } from 'nestjs-snowflake/store';
import { freePort } from '../../../support/servers/index.js';
import { unwatch, watch } from '../../../support/servers/watch.js';
import { waitFor, within } from '../../../support/wait.js';
import { CodeProject } from '../../../docs/code-project.js';
import { exampleBlock } from '../../../docs/example-block.js';
import { MarkdownPage } from '../../../docs/markdown.js';
import { supportFolderOf } from '../../../docs/pages.js';

const PATH = 'docs/guides/deploy.md';
const TYPESCRIPT = new URL('../../../support/typescript.mjs', import.meta.url).href;
const TIMEOUT_MS = 150_000;

const page = MarkdownPage.read(PATH);
const project = new CodeProject(
  [...page.blocksIn('ts'), exampleBlock('cluster/cluster.ts')],
  supportFolderOf(PATH),
);
const folder = mkdtempSync(join(tmpdir(), 'snowflake-cluster-'));
const leaseFile = join(folder, 'leases.db');
const decoder = new IdDecoder(new BitLayout());

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function rows(): Promise<readonly RegistryRow[]> {
  const store = sqlLeaseStore({
    dataSource: { type: 'better-sqlite3', driver: libsql, database: leaseFile },
    namespace: 'shop',
  });
  try {
    await store.open?.({ callTimeoutMs: 5_000 });
    return (await store.inspect()).rows;
  } finally {
    await store.close();
  }
}

describe('the node:cluster example', () => {
  let primary: ChildProcess;
  let url: string;
  let printed = '';
  let errors = '';
  const seen = new Set<number>();

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const file = project.pathOf('cluster.ts');
    primary = spawn(process.execPath, ['--import', TYPESCRIPT, file], {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        PROCESSES: '2',
        PORT: String(port),
        LEASE_FILE: leaseFile,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    primary.stdout?.on('data', (text: Buffer) => (printed += stripVTControlCharacters(text.toString())));
    primary.stderr?.on('data', (text: Buffer) => (errors += stripVTControlCharacters(text.toString())));
    watch(primary.pid!, 'SIGKILL');
  });
  afterAll(() => {
    primary.kill('SIGKILL');
    unwatch(primary.pid!);
  });

  /** Asks for an ID, which one of the processes makes. @returns its worker ID */
  async function ask(): Promise<number | undefined> {
    try {
      const answer = await fetch(`${url}/id`, { headers: { connection: 'close' } });
      const { workerId } = decoder.decode(await answer.text());
      seen.add(workerId);
      return workerId;
    } catch {
      return undefined;
    }
  }

  const untilSeen = (workerIds: readonly number[]): Promise<unknown> =>
    waitFor(
      () => `IDs of ${workerIds.join(', ')}, not only ${[...seen].join(', ')}: ${errors}`,
      TIMEOUT_MS,
      async () => {
        await ask();
        return workerIds.every((workerId) => seen.has(workerId));
      },
    );

  it(
    'runs processes with worker IDs of their own',
    async () => {
      await untilSeen([0, 1]);
      expect([...seen].sort()).toEqual([0, 1]);
    },
    TIMEOUT_MS + 5_000,
  );

  it(
    'replaces a process that crashes, under another worker ID',
    async () => {
      await fetch(`${url}/crash`).catch(() => undefined);
      await untilSeen([2]);
      expect(seen).toContain(2);
    },
    TIMEOUT_MS + 5_000,
  );

  it(
    'releases the worker IDs on SIGTERM, except that of the crashed process',
    async () => {
      const ended = once(primary, 'close');
      primary.kill('SIGTERM');
      const [code] = (await within('the primary to end', TIMEOUT_MS, ended)) as [number | null];
      expect(code).toBe(0);
      // A release has half a second. On a disk that stalls, the process says that it could not, and leaves the worker ID to its window.
      const idsAfter = (words: string): number[] =>
        [...`${printed}${errors}`.matchAll(new RegExp(`${words} worker ID (\\d+)`, 'g'))].map(([, id]) =>
          Number(id),
        );
      const released = idsAfter('Released');
      const notReleased = idsAfter('Could not release');
      expect([...released, ...notReleased]).toHaveLength(2);
      const crashed = [0, 1, 2].filter((id) => !released.includes(id) && !notReleased.includes(id));
      const taken = (await rows()).filter(({ fencingToken }) => fencingToken !== '');
      expect(taken.map(({ workerId }) => workerId).sort()).toEqual([...crashed, ...notReleased].sort());
      expect([0, 1]).toContain(crashed[0]);
    },
    TIMEOUT_MS + 5_000,
  );
});
