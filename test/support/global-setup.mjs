import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import './typescript.mjs';

/** Runs once before all specs, in Jest's own process, where nothing transforms TypeScript but the loader above. */
export default (config) => prepareServers(config, { isLab: false });

export async function prepareServers({ testPathPatterns }, { isLab }) {
  // Each package is packed once for all specs (packed-library.ts).
  process.env.TEST_TARBALLS = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-tarballs-')));
  const { compileChildren } = await import('./compile-children.ts');
  compileChildren();
  const { provideServers } = await import('./servers/provision.ts');
  const { openDatabaseProvider } = await import('./servers/database-provider.ts');
  // A run of named specs may need no server.
  const isWholeRun = testPathPatterns.patterns.length === 0;
  await provideServers({ areAllNeeded: isWholeRun, isLab });
  await openDatabaseProvider({ startsServers: isWholeRun });
}
