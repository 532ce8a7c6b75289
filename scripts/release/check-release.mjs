/**
 * Stops a release that can't be corrected later: `npm publish` runs it first, in each package. With `--try-packages`, as in
 * `npm run release:check`, it also packs and installs the packages, and loads every entry point.
 */
import { existsSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { missingNames, PUBLISHER, SEE_DOCS, signed, withSite } from './publisher.mjs';
import { linkedFiles } from './readme-links.mjs';
import { packageProblems } from './try-packages.mjs';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const exists = (path) => existsSync(new URL(path, root));
const { workspaces } = JSON.parse(read('package.json'));

/** What is wrong with the manifest, changelog and README of a package. */
function problemsOf(folder) {
  const manifest = JSON.parse(read(`${folder}/package.json`));
  const problems = [
    ...changelogProblems(`${folder}/CHANGELOG.md`, manifest),
    // That of the main package is made from the README of the repository.
    ...readmeProblems(folder === 'libs/snowflake' ? '.' : folder),
  ];
  if (manifest.publishConfig?.provenance !== true)
    problems.push(
      `${folder}/package.json does not ask for provenance. Set "publishConfig": { "provenance": true }.`,
    );
  return problems;
}

function changelogProblems(path, { version }) {
  const lines = exists(path) ? read(path).split('\n') : [];
  return lines.includes(`## ${version}`)
    ? []
    : [`${path} has no section "## ${version}". Run: npm run release:version`];
}

function readmeProblems(folder) {
  const path = `${folder}/README.md`;
  if (!exists(path)) return [`${path} is missing.`];
  return linkedFiles(read(path))
    .filter((linked) => !exists(`${folder}/${linked}`))
    .map((linked) => `${path} links to ${linked}, which doesn't exist.`);
}

/** Whether the packages name their publisher. Away from the repository, npm shows no link to a file. */
function publisherProblems() {
  if (missingNames.length > 0) return [`${PUBLISHER} has no ${missingNames.join(', ')}. Fill it in.`];
  const unsigned = workspaces.filter((folder) => {
    const manifest = JSON.parse(read(`${folder}/package.json`));
    return (
      !isDeepStrictEqual(signed(manifest, folder), manifest) ||
      (folder !== 'libs/snowflake' && linkedFiles(read(`${folder}/README.md`)).length > 0)
    );
  });
  if (withSite(read(SEE_DOCS)) !== read(SEE_DOCS)) unsigned.push(SEE_DOCS);
  return unsigned.map((path) => `${path} lacks names of ${PUBLISHER}. Run: npm run release:version`);
}

/** The pages that tell readers to make the packages themselves, which nobody needs when they are on npm. */
function pageProblems() {
  return ['README.md', 'docs/getting-started.md']
    .filter((path) => read(path).includes('npm run pack:all'))
    .map((path) => `${path} tells readers to pack the packages. Remove that from the page.`);
}

const problems = [
  ...workspaces.flatMap(problemsOf),
  ...publisherProblems(),
  ...(missingNames.length > 0 ? [] : pageProblems()),
  ...(process.argv.includes('--try-packages') ? await packageProblems(workspaces) : []),
];
if (problems.length > 0) {
  console.error(`Not ready for a release:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
  process.exitCode = 1;
} else {
  console.log(`Ready to release ${workspaces.join(', ')}.`);
}
