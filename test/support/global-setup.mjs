import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import './typescript.mjs';

/** Runs once before all specs, in Jest's own process, where nothing transforms TypeScript but the loader above. */
export default (config) => prepareServers(config, { isLab: false });

export async function prepareServers({ testPathPatterns }, { isLab }) {
  // Each package is packed once for all specs (packed-library.ts).
  process.env.TEST_TARBALLS = realpathSync(mkdtempSync(join(tmpdir(), 'snowflake-tarballs-')));
  const { compileChildren } = await import('./compile-children.ts');
  compileChildren();
  const { openDatabaseProvider } = await import('./servers/database-provider.ts');
  // A run of named specs may need no server.
  const isWholeRun = testPathPatterns.patterns.length === 0;
  installServers({ areAllNeeded: isWholeRun, isLab });
  await openDatabaseProvider({ startsServers: isWholeRun });
}

/** Runs the script that installs missing servers. In a run of named specs, only those that need a missing one fail. */
function installServers({ areAllNeeded, isLab }) {
  const script = fileURLToPath(new URL('../install-servers.sh', import.meta.url));
  const { status } = spawnSync('bash', [script, ...(isLab ? ['--lab'] : [])], { stdio: ['ignore', 2, 2] });
  if (status !== 0 && areAllNeeded)
    throw new Error('Not all servers are installed, see above. npm run test:unit needs none.');
}
