/**
 * Stops a release that can't be corrected later: `npm publish` runs it first. With `--try-package`, as in
 * `npm run release:check`, it also packs and installs the library and loads every entry point.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { linkedFiles } from './readme-links.mjs';
import { packageProblems } from './try-package.mjs';

const PLACEHOLDER = 'PLACEHOLDER';
/** Files that name a contact. */
const PAPERS = ['SECURITY.md', 'CODE_OF_CONDUCT.md', '.github/ISSUE_TEMPLATE/config.yml'];

const root = new URL('../../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const exists = (path) => existsSync(new URL(path, root));
const manifest = JSON.parse(read('libs/snowflake/package.json'));

function metadataProblems() {
  const unfinished = ['author', 'homepage', 'repository', 'bugs'].filter((field) => {
    const text = JSON.stringify(manifest[field] ?? '');
    return text === '""' || text.includes(PLACEHOLDER);
  });
  const fields = unfinished.map((field) => `"${field}"`).join(', ');
  return [
    ...(unfinished.length > 0
      ? [
          `libs/snowflake/package.json still has placeholders in ${fields}. Replace every ${PLACEHOLDER} there.`,
        ]
      : []),
    ...(manifest.publishConfig?.provenance === true
      ? []
      : [
          'libs/snowflake/package.json does not ask for provenance. Set "publishConfig": { "provenance": true }.',
        ]),
  ];
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

function changelogProblems() {
  const { version } = manifest;
  const heading = `## [${version}] - `;
  const line = exists('CHANGELOG.md')
    ? read('CHANGELOG.md')
        .split('\n')
        .find((each) => each.startsWith(heading))
    : undefined;
  if (/ - \d{4}-\d\d-\d\d$/.test(line ?? '')) return [];
  return [`CHANGELOG.md has no section "${heading}YYYY-MM-DD". Move what is under [Unreleased] into it.`];
}

function readmeProblems() {
  const missing = linkedFiles(read('README.md')).filter((path) => !exists(path));
  return missing.map((path) => `README.md links to ${path}, which doesn't exist.`);
}

const problems = [
  ...metadataProblems(),
  ...paperProblems(),
  ...changelogProblems(),
  ...readmeProblems(),
  ...(process.argv.includes('--try-package') ? await packageProblems() : []),
];
if (problems.length > 0) {
  console.error(`Not ready for a release:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
  process.exitCode = 1;
} else {
  console.log(`Ready to release ${manifest.name} ${manifest.version}.`);
}
