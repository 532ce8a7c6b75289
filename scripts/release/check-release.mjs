/**
 * Stops a release that can't be corrected later: `npm publish` runs it first, in each package. With `--try-packages`, as in
 * `npm run release:check`, it also packs and installs the packages, and loads every entry point.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { linkedFiles } from './readme-links.mjs';
import { packageProblems } from './try-packages.mjs';

const PLACEHOLDER = 'PLACEHOLDER';
/** Files that name a contact. */
const PAPERS = ['SECURITY.md', 'CODE_OF_CONDUCT.md', '.github/ISSUE_TEMPLATE/config.yml'];

/** Its alerts link to the site. */
const ALERT_RULES = 'docs/operations/alert-rules.yml';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const exists = (path) => existsSync(new URL(path, root));
const { workspaces } = JSON.parse(read('package.json'));

/** What is wrong with the manifest, changelog, README and source of a package. */
function problemsOf(folder) {
  const manifest = JSON.parse(read(`${folder}/package.json`));
  return [
    ...metadataProblems(`${folder}/package.json`, manifest),
    ...changelogProblems(`${folder}/CHANGELOG.md`, manifest),
    ...readmeProblems(folder),
    ...linkProblems(sourceFiles(folder)),
  ];
}

function metadataProblems(path, manifest) {
  const unfinished = ['author', 'homepage', 'repository', 'bugs'].filter((field) => {
    const text = JSON.stringify(manifest[field] ?? '');
    return text === '""' || text.includes(PLACEHOLDER);
  });
  const fields = unfinished.map((field) => `"${field}"`).join(', ');
  const problems = [];
  if (unfinished.length > 0)
    problems.push(`${path} still has placeholders in ${fields}. Replace every ${PLACEHOLDER} there.`);
  if (manifest.publishConfig?.provenance !== true)
    problems.push(`${path} does not ask for provenance. Set "publishConfig": { "provenance": true }.`);
  return problems;
}

function changelogProblems(path, { version }) {
  const lines = exists(path) ? read(path).split('\n') : [];
  return lines.includes(`## ${version}`)
    ? []
    : [`${path} has no section "## ${version}". Run: npm run release:version`];
}

function readmeProblems(folder) {
  // Away from the repository, npm shows no link to a file. That of the main package is made from the README of the repository.
  const path = folder === 'libs/snowflake' ? 'README.md' : `${folder}/README.md`;
  if (!exists(path)) return [`${path} is missing.`];
  const text = read(path);
  const problems = linkedFiles(text)
    .filter((linked) => folder !== 'libs/snowflake' || !exists(linked))
    .map((linked) => `${path} links to ${linked}, which readers don't find.`);
  return text.includes(PLACEHOLDER) ? [...problems, `${path} still has a ${PLACEHOLDER}.`] : problems;
}

/** Messages and TSDoc link to the site. */
function sourceFiles(folder) {
  return exists(`${folder}/src`)
    ? readdirSync(new URL(`${folder}/src`, root), { recursive: true })
        .filter((path) => path.endsWith('.ts'))
        .map((path) => `${folder}/src/${path}`)
        .sort()
    : [];
}

function linkProblems(paths) {
  return paths
    .filter((path) => exists(path) && read(path).includes(PLACEHOLDER))
    .map((path) => `${path} links to no site yet. Replace every ${PLACEHOLDER} there.`);
}

/** Placeholders may also hide in other files of `.github`. */
function papers() {
  const others = exists('.github')
    ? readdirSync(new URL('.github', root), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => `${entry.parentPath}/${entry.name}`.slice(root.pathname.length))
    : [];
  return [...new Set([...PAPERS, ...others])].sort();
}

function paperProblems() {
  return papers().flatMap((path) => {
    if (!exists(path)) return [`${path} is missing. It names the contact of the project.`];
    return read(path).includes(PLACEHOLDER)
      ? [`${path} has no contact yet. Replace every ${PLACEHOLDER} there.`]
      : [];
  });
}

const problems = [
  ...workspaces.flatMap(problemsOf),
  ...paperProblems(),
  ...linkProblems([ALERT_RULES]),
  ...(process.argv.includes('--try-packages') ? await packageProblems(workspaces) : []),
];
if (problems.length > 0) {
  console.error(`Not ready for a release:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
  process.exitCode = 1;
} else {
  console.log(`Ready to release ${workspaces.join(', ')}.`);
}
