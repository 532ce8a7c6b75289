import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../docs/markdown.js';
import type { Manifest } from './packed-library.js';

const TIMEOUT_MS = 300_000;

const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly workspaces: readonly string[];
};

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-release-')));
  const ofPackages = workspaces.flatMap((workspace) =>
    ['dist', 'page-folder', 'proto', 'scripts', 'package.json', 'README.md', 'CHANGELOG.md'].map(
      (part) => `${workspace}/${part}`,
    ),
  );
  for (const part of ['scripts', 'package.json', 'README.md', ...ofPackages]) {
    if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What `npm run release:check` has against the packed packages. */
async function problems(): Promise<string[]> {
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['scripts/release/check-release.mjs', '--try-packages'],
    { cwd: folder, timeout: TIMEOUT_MS },
  ).catch((error: { stderr: string }) => error);
  return stderr.split('\n').filter((line) => /^- (A|The) packed /.test(line));
}

/** What it has against the library alone, after a change of its manifest. */
function problemsAfter(change: (manifest: Manifest) => object): Promise<string[]> {
  const path = 'libs/snowflake/package.json';
  const manifest = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest;
  writeFileSync(join(folder, path), JSON.stringify(change(manifest)));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ workspaces: ['libs/snowflake'] }));
  return problems();
}

describe('npm run release:check', () => {
  it('tries the packed packages', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['release:check']).toBe(
      'npm run build && node scripts/release/check-release.mjs --try-packages',
    );
  });

  it(
    'loads every entry point of the installed tarball, by import and by require',
    async () => {
      expect(await problems()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'names the entry points that lead nowhere (control)',
    async () => {
      const found = await problemsAfter((manifest) => ({
        ...manifest,
        // An entry point that needs no other package fails like all others.
        peerDependencies: {},
        files: ['dist', '!dist/esm/core.js', '!dist/cjs/core.js', 'README.md'],
      }));
      expect(found).toContainEqual(
        expect.stringMatching(
          /^- A packed package can't be imported: nestjs-snowflake\/core: Cannot find module/,
        ),
      );
      expect(found).toContainEqual(
        expect.stringMatching(/^- A packed package can't be required: nestjs-snowflake\/core: /),
      );
    },
    TIMEOUT_MS,
  );

  it(
    'prints why the tarball does not install (control)',
    async () => {
      const [problem, ...others] = await problemsAfter((manifest) => ({
        ...manifest,
        engines: {},
        peerDependencies: {
          ...(manifest as { peerDependencies?: object }).peerDependencies,
          typeorm: '^99.0.0',
        },
      }));
      expect(problem).toMatch(/^- The packed packages can't be installed: /);
      expect(others).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
