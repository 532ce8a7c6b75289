import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packConsole, packLibrary } from '../long/packaging/packed-library.js';
import { Consumer, STEP_WITHIN_MS, warningsOfOurs } from './consumer.js';

/** What the app in `doors` does with an entry point, and the packages that it installs for it. */
interface UsedDoor {
  readonly gives: unknown;
  readonly packages: Readonly<Record<11 | 12, readonly string[]>>;
}

const same = (...names: string[]): UsedDoor['packages'] => ({ 11: names, 12: names });

/** By the name of the entry point. Each has a file of that name in `doors/src/doors`. */
const DOORS: Readonly<Record<string, UsedDoor>> = {
  http: { gives: [200, 400, 503], packages: same() },
  validation: { gives: [201, 400], packages: same('class-validator', 'class-transformer') },
  swagger: {
    gives: ['string', 'snowflake-id'],
    packages: { 11: ['@nestjs/swagger@11'], 12: ['@nestjs/swagger@12'] },
  },
  terminus: { gives: ['up', 'up'], packages: { 11: ['@nestjs/terminus@11'], 12: ['@nestjs/terminus@12'] } },
  opentelemetry: { gives: 'function', packages: same('@opentelemetry/api@1') },
  prometheus: { gives: true, packages: same('prom-client@15') },
  testing: { gives: ['1001', '1002'], packages: same() },
  series: {
    gives: ['INV-2026-00001', 'INV-2026-00002', 'INV-2027-00001'],
    packages: {
      11: ['@nestjs/typeorm@11', 'typeorm@0.3', 'libsql@0.5'],
      12: ['@nestjs/typeorm@12', 'typeorm@1', 'libsql@0.5'],
    },
  },
  // A package of its own, installed from its own tarball.
  console: { gives: [404, true, 3], packages: same() },
  segments: {
    gives: ['1', 2],
    packages: {
      11: ['@nestjs/typeorm@11', 'typeorm@0.3', 'libsql@0.5'],
      12: ['@nestjs/typeorm@12', 'typeorm@1', 'libsql@0.5'],
    },
  },
};

const GIVEN = Object.fromEntries(Object.entries(DOORS).map(([name, { gives }]) => [name, gives]));
const TYPESCRIPT = { 11: 'typescript@5', 12: 'typescript@6' } as const;

function packagesFor(version: 11 | 12): string[] {
  const nest = ['common', 'core', 'platform-express', 'platform-fastify'].map(
    (name) => `@nestjs/${name}@${version}`,
  );
  const peers = Object.values(DOORS).flatMap(({ packages }) => packages[version]);
  return [...nest, 'reflect-metadata@0.2', 'rxjs@7', '@types/node@24', TYPESCRIPT[version], ...peers];
}

let folder: string;
let tarballs: string[];
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-tarball-')));
  tarballs = [(await packLibrary(folder)).path, (await packConsole(folder)).path];
}, STEP_WITHIN_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([11, 12] as const)('an app of Nest %i that uses every door', (version) => {
  const consumer = new Consumer('doors');
  afterAll(() => consumer.remove());

  it(
    'installs them without a warning',
    async () => {
      expect(warningsOfOurs(await consumer.install(...packagesFor(version), ...tarballs))).toEqual([]);
    },
    STEP_WITHIN_MS,
  );

  it.each(['commonjs', 'module'])(
    'compiles and runs on Express and on Fastify as "type": "%s"',
    async (type) => {
      const manifest = join(consumer.folder, 'package.json');
      const before = JSON.parse(readFileSync(manifest, 'utf8')) as object;
      writeFileSync(manifest, JSON.stringify({ ...before, type }));
      await consumer.script('build');
      const { stdout, stderr } = await consumer.run(process.execPath, 'dist/main.js');
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual({ express: GIVEN, fastify: GIVEN });
    },
    STEP_WITHIN_MS,
  );
});
