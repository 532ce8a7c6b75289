import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packLibrary } from '../long/packaging/packed-library.js';
import { Consumer, STEP_WITHIN_MS, warningsOfOurs } from './consumer.js';
import { MarkdownPage } from '../../docs/markdown.js';
import { installLine } from './install-lines.js';

const nest = (version: number): string[] =>
  ['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}@${version}`);

/** What a line installs, with the packed library in place of the published one. */
const packagesOf = (line: string): string[] =>
  line.split(' ').map((name) => name.replace(/^nestjs-snowflake$/, tarball));

const redis = MarkdownPage.read('docs/stores/redis.md');

let tarball: string;
const consumers: Consumer[] = [];

function emptyApp(): Consumer {
  const made = new Consumer();
  consumers.push(made);
  return made;
}

/** The major version that npm has decided on. */
function majorOf(app: Consumer, name: string): string | undefined {
  const lock = readFileSync(join(app.folder, 'package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as { packages: Record<string, { readonly version: string }> };
  return packages[`node_modules/${name}`]?.version.split('.')[0];
}

beforeAll(async () => {
  ({ path: tarball } = await packLibrary());
}, STEP_WITHIN_MS);
afterAll(() => {
  for (const made of consumers) made.remove();
}, STEP_WITHIN_MS);

describe('the documentation', () => {
  // The apps `nest-12-vitest` and `nest-11-ts-jest` install those for SQL.
  it(
    'names an install line for a Nest 12 app that has TypeORM',
    async () => {
      const app = emptyApp();
      await app.resolve(...nest(12), '@nestjs/config', '@nestjs/typeorm', 'typeorm');
      expect(warningsOfOurs(await app.resolve(...packagesOf(installLine('Redis'))))).toEqual([]);
    },
    STEP_WITHIN_MS,
  );

  it(
    'names an install line for a Nest 11 app that gets TypeORM 0.3 later',
    async () => {
      const app = emptyApp();
      await app.resolve(...nest(11), '@nestjs/config@4', ...packagesOf(installLine('Redis')));
      expect(warningsOfOurs(await app.resolve('@nestjs/typeorm@11', 'typeorm@0.3'))).toEqual([]);
    },
    STEP_WITHIN_MS,
  );

  it(
    'names the version of ioredis because TypeORM refuses the version that npm would take (control)',
    async () => {
      const app = emptyApp();
      await app.resolve(tarball, 'ioredis');
      expect(majorOf(app, 'ioredis')).toBe('6');
      await expect(app.resolve('typeorm')).rejects.toThrow('ERESOLVE');
    },
    STEP_WITHIN_MS,
  );

  it(
    'names overrides with which npm takes ioredis 6 beside TypeORM',
    async () => {
      const [, overrides = ''] = /`("overrides": \{.*?\} \})`/.exec(redis.text.replaceAll('\n', ' ')) ?? [];
      const app = emptyApp();
      const manifest = join(app.folder, 'package.json');
      writeFileSync(manifest, `{ "dependencies": { "ioredis": "6" }, ${overrides} }`);
      expect(warningsOfOurs(await app.resolve(tarball, 'typeorm'))).toEqual([]);
      expect(majorOf(app, 'ioredis')).toBe('6');
    },
    STEP_WITHIN_MS,
  );
});
