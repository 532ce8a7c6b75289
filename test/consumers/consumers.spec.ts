import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packLibrary } from '../packaging/packed-library.js';
import { MarkdownPage } from '../readme/markdown.js';
import { Consumer, warningsOfOurs } from './consumer.js';

const INSTALL_WITHIN_MS = 300_000;
const STEP_WITHIN_MS = 240_000;
const NEST_11 = ['common', 'core'].map((name) => `@nestjs/${name}@11`);
const NEST_12 = ['common', 'core'].map((name) => `@nestjs/${name}@12`);

let folder: string;
let tarball: string;
const consumers: Consumer[] = [];

function consumer(app: string): Consumer {
  const made = new Consumer(app);
  consumers.push(made);
  return made;
}

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-tarball-')));
  ({ path: tarball } = await packLibrary(folder));
}, 120_000);
afterAll(() => {
  for (const made of consumers) made.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('a CommonJS app of Nest 11 with ts-jest and TypeORM 0.3', () => {
  let shop: Consumer;
  beforeAll(() => {
    shop = consumer('nest-11-commonjs');
  });

  it(
    'installs the library without a warning',
    async () => {
      const printed = await shop.install(
        tarball,
        'ioredis@5',
        '@nestjs/typeorm@11',
        'typeorm@0.3',
        'libsql@0.5',
        '@noble/ciphers@1',
      );
      expect(warningsOfOurs(printed)).toEqual([]);
    },
    INSTALL_WITHIN_MS,
  );

  it('has no setting of Jest for the library', () => {
    const settings = ['package.json', 'test/jest-e2e.json'].map((file) =>
      readFileSync(join(shop.folder, file), 'utf8'),
    );
    expect(settings.join('\n')).not.toMatch(/transformIgnorePatterns|moduleNameMapper|vm-modules/);
  });

  it(
    'builds',
    async () => {
      await shop.run('npm', 'run', 'build');
      expect(existsSync(join(shop.folder, 'dist/main.js'))).toBe(true);
    },
    STEP_WITHIN_MS,
  );

  it(
    'passes its unit tests, which import an entity and every door',
    async () => {
      expect((await shop.run('npm', 'test')).stderr).toContain('4 passed, 4 total');
    },
    STEP_WITHIN_MS,
  );

  it(
    'passes its e2e test, which inserts',
    async () => {
      expect((await shop.run('npm', 'run', 'test:e2e')).stderr).toContain('1 passed, 1 total');
    },
    STEP_WITHIN_MS,
  );

  it(
    'starts, inserts and stops',
    async () => {
      const { stderr } = await shop.serve('dist/main.js', async (url) => {
        const created = await fetch(`${url}/orders`, { method: 'POST' });
        const listed = await fetch(`${url}/orders`);
        const order = (await created.json()) as { readonly id: string };
        expect(order.id).toMatch(/^\d{15,19}$/);
        expect(await listed.json()).toEqual([order]);
      });
      expect(stderr).toBe('');
    },
    STEP_WITHIN_MS,
  );
});

describe('scripts on plain Node', () => {
  let script: Consumer;
  beforeAll(async () => {
    script = consumer('plain-node');
    expect(warningsOfOurs(await script.install(tarball))).toEqual([]);
  }, INSTALL_WITHIN_MS);

  it.each([
    ['CommonJS', 'use.cjs', 3],
    ['an ES module', 'use.mjs', 4],
  ])('run from %s', async (_kind, file, workerId) => {
    const { stdout, stderr } = await script.run(process.execPath, file);
    expect(JSON.parse(stdout)).toEqual({ workerId });
    expect(stderr).toBe('');
  });
});

describe('npm beside the current TypeORM', () => {
  const [, packages = ''] = /\nnpm i nestjs-snowflake (.+)\n/.exec(MarkdownPage.read('README.md').text) ?? [];
  const besides = packages.split(' ');

  it.each([
    ['Nest 12', [...NEST_12, '@nestjs/typeorm@12', 'typeorm@1']],
    ['Nest 11', [...NEST_11, '@nestjs/typeorm@11', 'typeorm@1']],
    ['Nest 11 and TypeORM 0.3', [...NEST_11, '@nestjs/typeorm@11', 'typeorm@0.3']],
  ])(
    'installs what the README says, before or after it: %s',
    async (_name, app) => {
      const after = consumer('plain-node');
      await after.resolve(...app);
      expect(warningsOfOurs(await after.resolve(tarball, ...besides))).toEqual([]);
      const before = consumer('plain-node');
      await before.resolve(tarball, ...besides, ...app.slice(0, 2));
      expect(warningsOfOurs(await before.resolve(...app))).toEqual([]);
    },
    STEP_WITHIN_MS,
  );

  it(
    'refuses ioredis 6 there (control)',
    async () => {
      const app = consumer('plain-node');
      await expect(app.resolve(tarball, 'ioredis@6', 'typeorm@1')).rejects.toThrow('ERESOLVE');
    },
    STEP_WITHIN_MS,
  );
});
