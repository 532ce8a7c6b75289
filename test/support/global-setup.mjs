import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import './typescript.mjs';

/** Runs once before all specs, in the process that starts the workers. Nothing transforms TypeScript there but the loader above. */
export default (project) => prepareServers(project, { isLab: false });

/** @returns what ends it all after the last spec */
export async function prepareServers({ vitest }, { isLab }) {
  // Each package is packed once for all specs (packed-library.ts).
  const tarballs = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-tarballs-')));
  process.env.TEST_TARBALLS = tarballs;
  const { compileChildren, removeCompiledChildren } = await import('./compile-children.ts');
  compileChildren();
  const { provideServers } = await import('./servers/provision.ts');
  const { closeDatabaseProvider, openDatabaseProvider } = await import('./servers/database-provider.ts');
  // Who names specs may name some that need no server.
  const all = await vitest.globTestSpecifications();
  const isWholeRun = vitest.state.getPaths().length === all.length;
  await provideServers({ areAllNeeded: isWholeRun, isLab });
  await openDatabaseProvider({ startsServers: isWholeRun });
  return async () => {
    await closeDatabaseProvider();
    rmSync(tarballs, { recursive: true, force: true });
    removeCompiledChildren();
  };
}
