import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import type { RegistrySnapshot } from 'nestjs-snowflake/store';
import {
  ask,
  ServiceFolder,
  ServiceProcess,
  TOKEN,
} from '../../../apps/id-service/test/support/service-process.js';
import { MarkdownPage } from '../../docs/markdown.js';
import { waitFor } from '../../support/wait.js';
import { packLibrary } from '../long/packaging/packed-library.js';
import { Consumer, STEP_WITHIN_MS, warningsOfOurs } from './consumer.js';
import { Workerd } from './workerd.js';

/** How to run a script, and the runtime that it must find itself in. */
const RUNTIMES = [
  ['node', process.execPath],
  ['bun', 'node_modules/.bin/bun', 'run'],
  ['deno', 'node_modules/.bin/deno', 'run', '--allow-all', '--node-modules-dir=manual'],
] as const;
/** The oldest that the library supports, and the newest. */
const GRAPHQL_VERSIONS = ['16.8.1', '17.1.0'];
const ID = '382475217496248322';
/** A lease is renewed every ten seconds. */
const RENEWED_WITHIN_MS = 60_000;

interface Made {
  readonly runtime: string;
  readonly made: readonly string[];
}

/** What graphql.mjs prints. */
interface Asked {
  readonly version: string;
  readonly isOne: boolean;
  readonly answers: readonly unknown[];
}

let services: ServiceFolder;
let service: ServiceProcess;
let script: Consumer;

beforeAll(async () => {
  services = new ServiceFolder();
  service = await ServiceProcess.start(services.env({ ID_INSTANCES: 'shop', LEASE_NAMESPACES: 'shop' }));
  script = new Consumer('scripts', { ID_SERVICE_URL: service.url, ID_SERVICE_TOKEN: TOKEN });
  expect(warningsOfOurs(await script.install((await packLibrary()).path))).toEqual([]);
  // Each chooses its binary for this machine.
  await script.run(process.execPath, 'node_modules/bun/install.js');
  await script.run(process.execPath, 'node_modules/deno/install.cjs');
  await script.run(process.execPath, 'node_modules/workerd/install.js');
}, STEP_WITHIN_MS);
afterAll(async () => {
  script?.remove();
  await service?.stop();
  services?.remove();
}, STEP_WITHIN_MS);

describe('scripts on plain Node', () => {
  it('install no package of Nest', () => {
    const packages = readdirSync(join(script.folder, 'node_modules')).join(' ');
    expect(packages).toContain('nestjs-snowflake');
    expect(packages).not.toMatch(/@nestjs|rxjs|reflect-metadata/);
  });

  it.each([
    ['CommonJS', 'script.cjs', 3],
    ['an ES module', 'script.mjs', 4],
  ])('run from %s', async (_kind, file, workerId) => {
    const { stdout, stderr } = await script.run(process.execPath, file);
    expect(JSON.parse(stdout)).toEqual({ workerId });
    expect(stderr).toBe('');
  });
});

describe('the scalar SnowflakeID without Nest', () => {
  const refused = (message: string, code: string): object => ({
    errors: [
      {
        message: expect.stringContaining(message),
        extensions: { code, snowflakeCode: 'SNOWFLAKE_INVALID_ID' },
      },
    ],
  });

  it.each(GRAPHQL_VERSIONS)(
    'writes strings, reads strings, and refuses numbers with the reason with graphql %s',
    async (installed) => {
      expect(warningsOfOurs(await script.install(`graphql@${installed}`))).toEqual([]);
      const { stdout } = await script.run(process.execPath, 'graphql.mjs');
      const { version, isOne, answers } = JSON.parse(stdout) as Asked;
      expect(version).toBe(installed);
      expect(isOne).toBe(true);
      expect(answers).toMatchObject([
        { data: { echo: ID } },
        { data: { echo: ID } },
        refused("is a number, and numbers in JSON can't hold 64 bits exactly", 'BAD_USER_INPUT'),
        refused("is a JSON number, which can't hold 64 bits exactly", 'BAD_USER_INPUT'),
        refused('is of type number', 'INTERNAL_SERVER_ERROR'),
      ]);
    },
    STEP_WITHIN_MS,
  );
});

describe('a remote lease store [promise: unique]', () => {
  it(
    'leases worker IDs in Node.js, Bun and Deno, whose IDs differ',
    async () => {
      const ids = new Set<string>();
      for (const [runtime, command, ...args] of RUNTIMES) {
        const { stdout } = await script.run(command, ...args, 'remote.mjs');
        const printed = JSON.parse(stdout) as Made;
        expect(printed.runtime).toBe(runtime);
        for (const id of printed.made) ids.add(id);
      }
      expect(ids.size).toBe(1000 * RUNTIMES.length);
    },
    STEP_WITHIN_MS,
  );
});

describe('a Worker of Cloudflare [promise: unique]', () => {
  const decoder = new IdDecoder(new BitLayout());
  let worker: Workerd;

  beforeAll(async () => {
    const [code] = MarkdownPage.read('docs/operations/id-service.md')
      .under('Cloudflare Workers')
      .blocksIn('ts');
    writeFileSync(join(script.folder, 'ids.worker.ts'), code?.text ?? '');
    await script.script('bundle');
    worker = await Workerd.start(script.folder, { ID_SERVICE_URL: service.url, SHOP_TOKEN: TOKEN });
  }, STEP_WITHIN_MS);
  afterAll(() => worker?.stop());

  const idsOf = async (path: string): Promise<string[]> => (await worker.get(path)) as string[];

  /** Until when the worker ID of an ID is taken. */
  async function reservedUntilMs(id: string): Promise<number | undefined> {
    const { workerId } = decoder.decode(id);
    const { body } = await ask<RegistrySnapshot>(`${service.url}/v1/leases/shop`, TOKEN);
    return body.rows.find((row) => row.workerId === workerId)?.reservedUntilMs;
  }

  it(
    'generates IDs in Durable Objects, which renew their leases while there is no request, and differ from requested ones',
    async () => {
      const before = [];
      for (const path of ['/', '/one', '/two', '/requested']) before.push(await idsOf(path));
      const [, one = [], two = []] = before;
      for (const [id = ''] of [one, two]) {
        const first = await reservedUntilMs(id);
        await waitFor('a renewal', RENEWED_WITHIN_MS, async () => (await reservedUntilMs(id)) !== first);
      }
      const after = [await idsOf('/one'), await idsOf('/two')];
      expect(decoder.decode(after[0]![0]!).workerId).toBe(decoder.decode(one[0]!).workerId);
      const all = [...before, ...after].flat();
      expect(new Set(all).size).toBe(all.length);
      expect(all.length).toBe(10 + 5 * 1000);
    },
    STEP_WITHIN_MS,
  );

  it(
    'generates no ID beyond the window with an ID maker in a global variable, whose timers end with their request',
    async () => {
      const made = await idsOf('/global');
      const untilMs = await reservedUntilMs(made[0]!);
      await waitFor('the end of the window', RENEWED_WITHIN_MS, async () => {
        const answer = await worker.get('/global');
        if (Array.isArray(answer)) made.push(...(answer as string[]));
        return (answer as { readonly code?: string }).code === 'SNOWFLAKE_LEASE_EXHAUSTED';
      });
      expect(await reservedUntilMs(made[0]!)).toBe(untilMs);
      expect(new Set(made).size).toBe(made.length);
      expect(decoder.decode(made.at(-1)!).timestampMs).toBeLessThanOrEqual(untilMs!);
      expect(await worker.get('/global')).toMatchObject({ code: 'SNOWFLAKE_LEASE_EXHAUSTED' });
    },
    STEP_WITHIN_MS,
  );
});
