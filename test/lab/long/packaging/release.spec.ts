import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../docs/markdown.js';
import type { Manifest } from './packed-library.js';

const TIMEOUT_MS = 300_000;

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-release-')));
  for (const part of [
    'libs/snowflake/dist',
    'libs/snowflake/scripts',
    'libs/snowflake/package.json',
    'README.md',
  ]) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What `npm run release:check` has against the packed library, after a change of its manifest. */
async function problemsOf(
  change: (manifest: Manifest) => object = (manifest) => manifest,
): Promise<string[]> {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'libs/snowflake/package.json'), 'utf8')) as Manifest;
  const library = join(folder, 'libs/snowflake');
  writeFileSync(join(library, 'package.json'), JSON.stringify(change(manifest)));
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['scripts/check-release.mjs', '--try-package'],
    { cwd: library, timeout: TIMEOUT_MS },
  ).catch((error: { stderr: string }) => error);
  return stderr.split('\n').filter((line) => line.startsWith('- The packed '));
}

describe('npm run release:check', () => {
  it('tries the packed library', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['release:check']).toBe(
      'npm run build:lib && node libs/snowflake/scripts/check-release.mjs --try-package',
    );
  });

  it(
    'loads every entry point of the installed tarball, by import and by require',
    async () => {
      expect(await problemsOf()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'names the entry points that lead nowhere (control)',
    async () => {
      const problems = await problemsOf((manifest) => ({
        ...manifest,
        files: ['dist', '!dist/esm/core.js', '!dist/cjs/core.js', 'README.md'],
      }));
      expect(problems).toContainEqual(
        expect.stringMatching(
          /^- The packed library can't be imported: nestjs-snowflake\/core: Cannot find module/,
        ),
      );
      expect(problems).toContainEqual(
        expect.stringMatching(/^- The packed library can't be required: nestjs-snowflake\/core: /),
      );
    },
    TIMEOUT_MS,
  );

  it(
    'prints why the tarball does not install (control)',
    async () => {
      const [problem, ...others] = await problemsOf((manifest) => ({
        ...manifest,
        engines: {},
        peerDependencies: {
          ...(manifest as { peerDependencies?: object }).peerDependencies,
          typeorm: '^99.0.0',
        },
      }));
      expect(problem).toMatch(/^- The packed library can't be installed: /);
      expect(others).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
