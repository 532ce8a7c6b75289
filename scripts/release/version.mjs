/**
 * Turns the changesets into versions and changelog entries, and writes the names of `publisher.json` into the packages. The packages
 * share code that is not API (`nestjs-snowflake/internal/*`), so all have one version and accept only that of each other. Changesets would take
 * each new version of a peer for a breaking change, and go to 1.0.0, so it doesn't see which version they accept.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { missingNames, PUBLISHER, repositoryUrl, SEE_DOCS, signed, withSite } from './publisher.mjs';
import { withAbsoluteLinks } from './readme-links.mjs';

const root = new URL('../../', import.meta.url);
const { workspaces } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

function change(path, to) {
  const file = new URL(path, root);
  writeFileSync(file, to(readFileSync(file, 'utf8')));
}

function changeManifests(to) {
  for (const folder of workspaces)
    change(
      `${folder}/package.json`,
      (text) => `${JSON.stringify(to(JSON.parse(text), folder), undefined, 2)}\n`,
    );
}

const names = new Set(
  workspaces.map((folder) => JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8')).name),
);

/** Makes each package accept these versions of the others. */
function accept(versionOf) {
  changeManifests((manifest) => {
    for (const name of Object.keys(manifest.peerDependencies))
      if (names.has(name)) manifest.peerDependencies[name] = versionOf(manifest);
    return manifest;
  });
}

/** Writes the version into the library, because a bundle of an app has no manifest of it. */
function writeVersion() {
  const { version } = JSON.parse(readFileSync(new URL('libs/snowflake/package.json', root), 'utf8'));
  change('libs/snowflake/src/core/version.ts', (text) => text.replace(/(?<= = )'.*'/, () => `'${version}'`));
}

/** Writes who publishes the packages, and where: npm shows a README away from the repository, and messages name the site. */
function sign() {
  changeManifests(signed);
  change(SEE_DOCS, withSite);
  // That of the main package is made from the README of the repository when it is packed.
  for (const folder of workspaces.filter(
    (each) => each !== 'libs/snowflake' && existsSync(new URL(`${each}/README.md`, root)),
  ))
    change(`${folder}/README.md`, (text) => withAbsoluteLinks(text, repositoryUrl, folder));
}

if (missingNames.length > 0) throw new Error(`Fill in ${missingNames.join(', ')} in ${PUBLISHER} first.`);
accept(() => '*');
execFileSync('npx', ['changeset', 'version'], { cwd: root, stdio: 'inherit' });
accept(({ version }) => version);
writeVersion();
sign();
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], { cwd: root, stdio: 'inherit' });
