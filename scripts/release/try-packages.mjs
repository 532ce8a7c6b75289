import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { repositoryUrl } from './publisher.mjs';
import { linkedFiles } from './readme-links.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NPM_WITHIN_MS = 180_000;
const NODE_WITHIN_MS = 60_000;

const run = promisify(execFile);

/** Returns the names under which users load the parts of a package: not its files, such as package.json. */
function entryPointsOf({ name, exports }) {
  return Object.entries(exports)
    .filter(([, target]) => typeof target !== 'string')
    .map(([key]) => key.replace('.', name));
}

/** Loads every entry point in one process, and prints those that fail. */
const loading = (entryPoints, load) => `
  const failed = [];
  for (const entryPoint of ${JSON.stringify(entryPoints)}) {
    try {
      ${load};
    } catch (error) {
      failed.push(entryPoint + ': ' + String(error.message).split('\\n')[0]);
    }
  }
  console.log(JSON.stringify(failed));
`;

async function failedEntryPoints(project, file, script) {
  writeFileSync(join(project, file), script);
  const { stdout } = await run(process.execPath, [file], { cwd: project, timeout: NODE_WITHIN_MS });
  return JSON.parse(stdout);
}

async function packed(folder, workspaces) {
  const folders = workspaces.map((workspace) => `./${workspace}`);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, ...folders], {
    cwd: ROOT,
    timeout: NPM_WITHIN_MS,
  });
  return JSON.parse(stdout).map(({ filename }) => join(folder, filename));
}

/** Packs the packages and installs the tarballs into a new project, with the newest optional peers that fit. */
async function installInto(folder, workspaces, manifests) {
  const tarballs = await packed(folder, workspaces);
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'user', version: '1.0.0' }));
  const own = new Set(manifests.map(({ name }) => name));
  const peers = Object.assign({}, ...manifests.map(({ peerDependencies }) => peerDependencies));
  const others = Object.entries(peers).filter(([name]) => !own.has(name));
  await run(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs].concat(
      others.map(([name, range]) => `${name}@${range}`),
    ),
    { cwd: project, timeout: NPM_WITHIN_MS },
  );
  return project;
}

/** Packs, installs and loads the packages as a user does. Resolves to what is wrong with them. */
export async function packageProblems(workspaces) {
  const manifests = workspaces.map((workspace) =>
    JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8')),
  );
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-release-'));
  try {
    const project = await installInto(folder, workspaces, manifests);
    const entryPoints = manifests.flatMap(entryPointsOf);
    const imported = await failedEntryPoints(
      project,
      'import.mjs',
      loading(entryPoints, 'await import(entryPoint)'),
    );
    const required = await failedEntryPoints(
      project,
      'require.cjs',
      loading(entryPoints, 'require(entryPoint)'),
    );
    return [
      ...imported.map((problem) => `A packed package can't be imported: ${problem}`),
      ...required.map((problem) => `A packed package can't be required: ${problem}`),
      // Without an address of the repository, links can't be absolute.
      ...(repositoryUrl === '' ? [] : manifests.flatMap(({ name }) => readmeProblems(project, name))),
    ];
  } catch (error) {
    return [`The packed packages can't be installed: ${error.stderr || error.message}`];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readmeProblems(project, name) {
  const readme = readFileSync(join(project, 'node_modules', name, 'README.md'), 'utf8');
  return linkedFiles(readme).map(
    (path) => `The packed README of ${name} links to ${path}, which is not in the package.`,
  );
}
