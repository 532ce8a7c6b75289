/**
 * Turns the changesets into versions and changelog entries. The packages share code that is not API (`nestjs-snowflake/kit`), so all
 * have one version and accept only that of each other. Changesets would take each new version of a peer for a breaking change,
 * and go to 1.0.0, so it doesn't see which version they accept.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const { workspaces } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const files = workspaces.map((folder) => new URL(`${folder}/package.json`, root));
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const names = new Set(files.map((file) => read(file).name));

/** Makes each package accept these versions of the others. */
function accept(versionOf) {
  for (const file of files) {
    const manifest = read(file);
    for (const name of Object.keys(manifest.peerDependencies))
      if (names.has(name)) manifest.peerDependencies[name] = versionOf(manifest);
    writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);
  }
}

accept(() => '*');
execFileSync('npx', ['changeset', 'version'], { cwd: root, stdio: 'inherit' });
accept(({ version }) => version);
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], { cwd: root, stdio: 'inherit' });
