import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { linkedFiles } from './readme-links.mjs';

const LIBRARY = fileURLToPath(new URL('..', import.meta.url));
const NPM_WITHIN_MS = 180_000;
const NODE_WITHIN_MS = 60_000;

const run = promisify(execFile);

/** Returns the names under which users load the parts of the package. */
function entryPointsOf({ name, exports }) {
  return Object.keys(exports)
    .filter((key) => key !== './package.json')
    .map((key) => key.replace('.', name));
}

/** Loads every entry point in one process, and prints those that fail or export nothing. */
const loading = (entryPoints, load) => `
  const failed = [];
  for (const entryPoint of ${JSON.stringify(entryPoints)}) {
    try {
      if (Object.keys(${load}).length === 0) failed.push(entryPoint + ' exports nothing.');
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

/** Packs the library and installs the tarball into a new project, with the newest optional peers that fit. */
async function installInto(folder, manifest) {
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: LIBRARY,
    timeout: NPM_WITHIN_MS,
  });
  const [{ filename }] = JSON.parse(packed.stdout);
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'user', version: '1.0.0' }));
  const optional = Object.keys(manifest.peerDependenciesMeta).map(
    (name) => `${name}@${manifest.peerDependencies[name]}`,
  );
  await run(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', join(folder, filename), ...optional],
    { cwd: project, timeout: NPM_WITHIN_MS },
  );
  return project;
}

/** Packs, installs and loads the library as a user does. Resolves to what is wrong with it. */
export async function packageProblems() {
  const manifest = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-release-'));
  try {
    const project = await installInto(folder, manifest);
    const entryPoints = entryPointsOf(manifest);
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
    const readme = readFileSync(join(project, 'node_modules', manifest.name, 'README.md'), 'utf8');
    return [
      ...imported.map((problem) => `The packed library can't be imported: ${problem}`),
      ...required.map((problem) => `The packed library can't be required: ${problem}`),
      ...linkedFiles(readme).map(
        (path) => `The packed README links to ${path}, which is not in the package.`,
      ),
    ];
  } catch (error) {
    return [`The packed library can't be installed: ${error.stderr || error.message}`];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
