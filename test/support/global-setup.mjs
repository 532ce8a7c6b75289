import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import './typescript.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Runs once before all specs, in Jest's own process, where nothing transforms TypeScript but the loader above. */
export default (config) => prepareServers(config, { isLab: false });

export async function prepareServers({ testPathPatterns }, { isLab }) {
  // Each package is packed once for all specs (packed-library.ts).
  process.env.TEST_TARBALLS = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-tarballs-')));
  process.env.TEST_CHILDREN = compileChildren();
  const { provideServers } = await import('./servers/provision.ts');
  const { openDatabaseProvider } = await import('./servers/database-provider.ts');
  // Who names specs may name some that need no server.
  const isWholeRun = testPathPatterns.patterns.length === 0;
  await provideServers({ areAllNeeded: isWholeRun, isLab });
  await openDatabaseProvider({ startsServers: isWholeRun });
}

/**
 * Compiles what tests start as processes of their own. Without the hooks for TypeScript, a process that imports TypeORM starts in
 * half of the time. The folder is in the repository, so that they find its packages.
 */
function compileChildren() {
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'dist/children-'));
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  execFileSync(process.execPath, [
    compiler,
    '-p',
    join(ROOT, 'test/tsconfig.children.json'),
    '--outDir',
    folder,
  ]);
  return folder;
}
