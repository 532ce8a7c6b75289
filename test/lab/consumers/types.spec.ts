import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../docs/markdown.js';
import { ENTRY_POINTS } from '../../packaging/entry-points.js';
import { LIBRARY_NAMES, packConsole, packNamed } from '../long/packaging/packed-library.js';
import { Consumer, STEP_WITHIN_MS } from './consumer.js';

type Problems = Readonly<Record<string, readonly string[]>>;

/** The peers of the packages, with the ranges that they accept. */
function peers(): Record<string, string> {
  const all = [...LIBRARY_NAMES, 'nestjs-snowflake-console'].map((name) => {
    const manifest = readFileSync(join(ROOT, 'libs', name.replace('nestjs-', ''), 'package.json'), 'utf8');
    return (JSON.parse(manifest) as { readonly peerDependencies?: Record<string, string> }).peerDependencies;
  });
  const found = Object.assign({}, ...all) as Record<string, string>;
  return Object.fromEntries(Object.entries(found).filter(([name]) => !name.startsWith('nestjs-snowflake')));
}

const lowest = (range: string): string => /\d+\.\d+\.\d+/.exec(range)![0];

/** Installs the packed packages with their peers. They needn't fit each other: no Nest app has all of them in their lowest version. */
async function installed(versionOf: (range: string) => string): Promise<Consumer> {
  const app = new Consumer('types');
  const tarballs = await Promise.all([...LIBRARY_NAMES.map(packNamed), packConsole()]);
  const packages = Object.entries(peers()).map(([name, range]) => `${name}@${versionOf(range)}`);
  await app.install('--legacy-peer-deps', ...packages, ...tarballs.map(({ path }) => path));
  return app;
}

async function problems(app: Consumer, compilers: string, entryPoints = ENTRY_POINTS): Promise<Problems> {
  const names = entryPoints.map(({ entryPoint }) => entryPoint);
  const { stdout } = await app.run('node', 'check.mjs', compilers, ...names);
  return JSON.parse(stdout) as Problems;
}

const none = (found: Problems): Problems => Object.fromEntries(Object.keys(found).map((name) => [name, []]));

// TypeScript 7 checks as 6 does, which old peers therefore don't need as well.
describe.each([
  ['lowest', '5.4,7', lowest],
  ['newest', '5.4,6,7', (range: string) => range],
])('the declarations with the %s versions of all peers, and TypeScript %s', (_, compilers, versionOf) => {
  let app: Consumer;
  beforeAll(async () => {
    app = await installed(versionOf);
  }, STEP_WITHIN_MS);
  afterAll(() => app?.remove());

  it(
    'compile with skipLibCheck: false, as ES modules, CommonJS and for bundlers',
    async () => {
      const found = await problems(app, compilers);
      expect(Object.keys(found).length).toBeGreaterThanOrEqual(7);
      expect(found).toEqual(none(found));
    },
    STEP_WITHIN_MS,
  );

  it(
    'do not compile without a peer that they need, in any of these ways (control)',
    async () => {
      const [there, away] = ['ioredis', 'away'].map((name) => join(app.folder, 'node_modules', name));
      renameSync(there!, away!);
      const found = await problems(
        app,
        compilers,
        ENTRY_POINTS.filter(({ entryPoint }) => entryPoint === 'nestjs-snowflake/redis'),
      );
      renameSync(away!, there!);
      for (const lines of Object.values(found)) expect(lines.join()).toContain("'ioredis'");
    },
    STEP_WITHIN_MS,
  );
});
