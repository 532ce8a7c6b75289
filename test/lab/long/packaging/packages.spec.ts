import { rmSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { withAbsoluteLinks } from '../../../../scripts/release/readme-links.mjs';
import { MarkdownPage } from '../../../docs/markdown.js';
import { ENTRY_POINTS, type EntryPoint } from '../../../packaging/entry-points.js';
import { entryPointsOf, PACKAGE_FOLDERS } from '../../../support/entry-points.mjs';
import {
  INSTALL_WITHIN_MS,
  PACKAGE_NAMES,
  PackedLibrary,
  type Project,
  USE_WITHIN_MS,
} from './packed-library.js';

/** The sets of peers, and the entry points that need each. */
const GROUPS = [...new Set(ENTRY_POINTS.map(({ peers }) => peers.join(' ')))].map((peers) => ({
  peers: peers.split(' ').filter(Boolean),
  entryPoints: ENTRY_POINTS.filter((entryPoint) => entryPoint.peers.join(' ') === peers),
}));

const COMMON_JS = new Map(PACKAGE_FOLDERS.flatMap(entryPointsOf).map(({ name, cjs }) => [name, cjs]));

/** The file that Jest loads for `require()`: in Node, the condition `module-sync` comes first. */
function commonJsOf(entryPoint: string): string {
  return `./node_modules/${join(entryPoint.split('/')[0] ?? '', COMMON_JS.get(entryPoint) ?? '')}`;
}

/** Loads and uses entry points in each of the ways, and prints what is wrong. */
const loading = ({ entryPoints, peers }: (typeof GROUPS)[number]): string => `
  ${peers.includes('reflect-metadata') ? "import 'reflect-metadata';" : ''}
  import { createRequire } from 'node:module';
  const require = createRequire(import.meta.url);
  const problems = [];
  ${entryPoints
    .map(
      ({ entryPoint, use = 'return true;' }) => `{
        const name = '${entryPoint}';
        const imported = await import(name);
        const required = require(name);
        const commonJs = require('${commonJsOf(entryPoint)}');
        const keys = Object.keys(imported).filter((key) => typeof imported[key] === 'function');
        if (keys.some((key) => imported[key] !== required[key])) problems.push(name + ': two copies in one process');
        if (keys.length > 0 && keys.every((key) => imported[key] === commonJs[key])) problems.push(name + ': no build of CommonJS');
        const use = async (entryPoint) => { ${use} };
        if (!(await use(imported))) problems.push(name + ': fails as ES module');
        if (!(await use(commonJs))) problems.push(name + ': fails as CommonJS');
      }`,
    )
    .join('\n')}
  console.log(JSON.stringify(problems));`;

/**
 * What the compiler has against files of strict TypeScript, an ES module and CommonJS, that import the entry points, and against
 * their declarations. `test/lab/consumers/types.spec.ts` has the other compilers.
 */
function typeProblems(project: Project, entryPoints: readonly EntryPoint[]): string[] {
  const lines = entryPoints.map(
    ({ entryPoint }, at) => `import * as e${at} from '${entryPoint}';\nexport const use${at} = e${at};`,
  );
  const files = ['use.mts', 'use.cts'].map((name) => project.write(name, lines.join('\n')));
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    types: ['node'],
  });
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file: place }) => place?.fileName.startsWith(project.folder))
    .map(
      ({ file: place, messageText }) =>
        `${place?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
}

/** The pictures in HTML. */
const attributes = (page: string): string[] =>
  [...page.matchAll(/\bsrc(?:set)?="([^"]+)"/g)].map(([, target = '']) => target);

describe('the packed packages', () => {
  let library: PackedLibrary;
  beforeAll(async () => {
    library = await PackedLibrary.install();
  }, INSTALL_WITHIN_MS);
  afterAll(() => library?.remove());

  it('the packages bring nothing but the dependencies of the command line', () => {
    expect(library.installed).toEqual(['commander', ...PACKAGE_NAMES, 'semver'].toSorted());
  });

  it.each(PACKAGE_NAMES)('%s holds its papers, and no test', (name) => {
    const files = library.filesOf(name);
    expect(files).toEqual(
      expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json']),
    );
    expect(files.filter((file) => /\.spec\.|^(src|test)\b/.test(file))).toEqual([]);
  });

  it('the README of nestjs-snowflake has no relative link once the repository has an address', () => {
    const readme = library.read('nestjs-snowflake', 'README.md');
    const released = withAbsoluteLinks(readme, 'https://github.com/ada/nestjs-snowflake');
    const targets = [...new MarkdownPage(released).links, ...attributes(released)];
    expect(targets.filter((target) => !/^(https?:|#)/.test(target))).toEqual([]);
    expect(attributes(released)).not.toEqual([]);
  });

  it('every entry point of the packages has a row in the table of these tests', () => {
    expect([...COMMON_JS.keys()].toSorted()).toEqual(
      ENTRY_POINTS.map(({ entryPoint }) => entryPoint).toSorted(),
    );
  });

  it.each(GROUPS)(
    'entry points need nothing but $peers as ES modules, CommonJS and TypeScript',
    async (group) => {
      const project = library.project(`group-${GROUPS.indexOf(group)}`, [...group.peers, '@types/node']);
      project.write('use.mjs', loading(group));
      expect(await project.json(process.execPath, 'use.mjs')).toEqual([]);
      expect(typeProblems(project, group.entryPoints)).toEqual([]);
    },
    USE_WITHIN_MS,
  );

  // Were a peer found from anywhere but the project, the tests above would prove nothing.
  it('no entry point loads without its peers (control)', async () => {
    const project = library.project('without-peers', []);
    const names = ENTRY_POINTS.filter(({ peers }) => peers.length > 0).map(({ entryPoint }) => entryPoint);
    project.write(
      'refusals.mjs',
      `const names = ${JSON.stringify(names)};
       const reasonOf = (name) => import(name).then(() => name, ({ code }) => code);
       console.log(JSON.stringify(await Promise.all(names.map(reasonOf))));`,
    );
    const reasons = (await project.json(process.execPath, 'refusals.mjs')) as string[];
    expect(new Set(reasons)).toEqual(new Set(['ERR_MODULE_NOT_FOUND']));
  });

  it('the command line names the package to install for a store of another package', async () => {
    const project = library.project('without-coordination', []);
    rmSync(join(project.folder, 'node_modules/nestjs-snowflake-coordination'), { recursive: true });
    project.write(
      'refusal.mjs',
      `import { spawnSync } from 'node:child_process';
       const args = ['workers', '--etcd', 'http://127.0.0.1:1', '--namespace', 'shop'];
       const { stderr } = spawnSync('npx', ['--no', 'nestjs-snowflake-cli', ...args], { encoding: 'utf8' });
       console.log(JSON.stringify(stderr));`,
    );
    expect(await project.json(process.execPath, 'refusal.mjs')).toContain(
      'npm install --save-dev nestjs-snowflake-cli nestjs-snowflake-coordination',
    );
  });

  it.each(['module', 'commonjs'])('the command line runs in a project of the type %s', async (type) => {
    const project = library.project(type, []);
    project.write('package.json', JSON.stringify({ type }));
    const exported = type === 'module' ? 'export default' : 'module.exports =';
    project.write('app.options.js', `${exported} { layout: 'jsSafe53' };\n`);
    const decode = [
      '--no',
      'nestjs-snowflake-cli',
      'decode',
      '--json',
      '--options',
      'app.options.js',
      '4098',
    ];
    expect(await project.json('npx', ...decode)).toMatchObject({ tick: 1, sequence: 2 });
  });
});
