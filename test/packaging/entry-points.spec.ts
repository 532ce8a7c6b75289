import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { entryPointsOf, PACKAGE_FOLDERS } from '../support/entry-points.mjs';
import { ENTRY_POINTS } from './entry-points.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ALL = PACKAGE_FOLDERS.flatMap((folder) =>
  entryPointsOf(folder).map((each) => ({ ...each, commonJs: join(ROOT, folder, each.cjs) })),
);

/** Runs an ES module in a process of its own, as an app does, and resolves to the JSON that it prints. */
async function printedBy(script: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', `import 'reflect-metadata';\n${script}`],
    { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '' } },
  );
  return JSON.parse(stdout);
}

describe('the entry points of the packages', () => {
  it('are those that the table lists, with the packages that they need', () => {
    expect(ALL.map(({ name }) => name).toSorted()).toEqual(
      ENTRY_POINTS.map(({ entryPoint }) => entryPoint).toSorted(),
    );
  });

  it('load as ES modules and as CommonJS, with the same exports', async () => {
    const loaded = await printedBy(`
      import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      const differences = [];
      for (const { name, commonJs } of ${JSON.stringify(ALL)}) {
        const [esm, cjs] = [await import(name), require(commonJs)].map((each) => Object.keys(each).sort().join());
        if (esm !== cjs) differences.push({ name, esm, cjs });
      }
      console.log(JSON.stringify(differences));`);
    expect(loaded).toEqual([]);
  });

  it.each(['lease', 'dist/esm/index.js', 'metrics'])('nestjs-snowflake/%s is refused', async (path) => {
    const code = await printedBy(
      `console.log(JSON.stringify(await import('nestjs-snowflake/${path}').then(() => 'loaded', ({ code }) => code)));`,
    );
    expect(code).toBe('ERR_MODULE_NOT_FOUND');
  });
});
