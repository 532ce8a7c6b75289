import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { MarkdownPage } from '../readme/markdown.js';
import { PackedLibrary, type Project } from './packed-library.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const JEST_WITHIN_MS = 100_000;
/** What the README tells users to install, and what its examples use besides. */
const INSTALLED = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/config',
  '@nestjs/schedule',
  '@nestjs/typeorm',
  '@types/node',
  'class-transformer',
  'ioredis',
  'pg',
  'reflect-metadata',
  'rxjs',
  'typeorm',
];
/** What all projects of users have in common here. `import` becomes `require()` in a `.cts` file. */
const COMMON: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  types: ['node'],
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  // TypeScript 6 warns of what 7 has no more.
  ignoreDeprecations: '6.0',
  skipLibCheck: true,
};

const { ModuleKind, ModuleResolutionKind } = ts;
/** The settings that the README names, and how a project that imports or requires the library fares. */
const SETTINGS: readonly (readonly [
  name: string,
  options: ts.CompilerOptions,
  esm: number | 'fine',
  cjs: number | 'fine',
])[] = [
  ['module nodenext', { module: ModuleKind.NodeNext }, 'fine', 'fine'],
  ['module node20', { module: ModuleKind.Node20 }, 'fine', 'fine'],
  [
    'moduleResolution bundler',
    { module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler },
    'fine',
    'fine',
  ],
  ['module node16', { module: ModuleKind.Node16 }, 'fine', 1479],
  ['module node18', { module: ModuleKind.Node18 }, 'fine', 1479],
  [
    'moduleResolution node10',
    { module: ModuleKind.CommonJS, moduleResolution: ModuleResolutionKind.Node10 },
    2307,
    2307,
  ],
];
/** Doors that need no package: what is at stake is how they are found, and whether they may be required. */
const DOORS = ['core', 'codecs'];
const DOOR_FILE = DOORS.map(
  (door) => `import * as ${door} from 'nestjs-snowflake/${door}';\nexport const of_${door} = ${door};\n`,
).join('');

/** Codes of what the compiler has against files, each once. */
function problemsIn(files: readonly string[], options: ts.CompilerOptions): number[] {
  const program = ts.createProgram(files, { ...COMMON, ...options });
  const problems = ts.getPreEmitDiagnostics(program);
  return [...new Set(problems.map(({ code }) => code))];
}

let library: PackedLibrary;
let project: Project;

beforeAll(async () => {
  library = await PackedLibrary.install();
  project = library.project('install', INSTALLED);
}, 120_000);
afterAll(() => library?.remove());

describe('TypeScript', () => {
  it.each(SETTINGS)('with %s takes the doors as the README says', (name, options, esm, cjs) => {
    const expected = (problem: number | 'fine'): number[] => (problem === 'fine' ? [] : [problem]);
    const file = (extension: string): string =>
      project.write(`${name.replaceAll(' ', '-')}.${extension}`, DOOR_FILE);
    const alone = { ...options, types: [] };
    expect(problemsIn([file('mts')], alone)).toEqual(expected(esm));
    expect(problemsIn([file('cts')], alone)).toEqual(expected(cjs));
  });

  it('takes the examples of the README with what it tells to install', () => {
    const blocks = MarkdownPage.read('README.md').blocksIn('ts');
    const files = blocks.flatMap(({ text }) => {
      const [, file = ''] = /^\/\/ (\S+\.ts)\n/.exec(text) ?? [];
      // The others need packages of their own, which the text beside them names.
      const isOfTheApp = /^(app\.module|order\.entity|orders\.service|audit\.module)\.ts$/.test(file);
      return isOfTheApp ? [project.write(file, text)] : [];
    });
    expect(files).toHaveLength(4);
    expect(problemsIn(files, { module: ModuleKind.NodeNext })).toEqual([]);
  });
});

describe('ioredis 6', () => {
  it('is no peer that TypeORM knows, so that both need the override of the README', () => {
    const { peerDependencies } = JSON.parse(
      readFileSync(join(ROOT, 'node_modules/typeorm/package.json'), 'utf8'),
    ) as { peerDependencies: Record<string, string> };
    expect(peerDependencies['ioredis']).toMatch(/^\^5/);
    expect(peerDependencies['ioredis']).not.toMatch(/6/);
    const { overrides } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      overrides: object;
    };
    const [, said = ''] =
      /add `"overrides": (\{.*?\} \})` to/.exec(MarkdownPage.read('README.md').text.replaceAll('\n', ' ')) ??
      [];
    expect(overrides).toMatchObject(JSON.parse(said) as object);
  });
});

describe('a Jest that runs CommonJS', () => {
  /** Runs the spec of a user in a project without ES modules. @returns whether it passes, and what was printed */
  async function runJest(name: string, config: object): Promise<{ passes: boolean; output: string }> {
    const own = library.project(name, []);
    own.write('package.json', JSON.stringify({ name: 'user', version: '1.0.0' }));
    own.write(
      'ids.spec.js',
      `const { base62Codec } = require('nestjs-snowflake/codecs');
it('reads an ID', () => expect(base62Codec().decode('0SFjugjHF10')).toBe('382475217496248322'));\n`,
    );
    const swc = {
      jsc: { parser: { syntax: 'ecmascript' }, target: 'es2022' },
      module: { type: 'commonjs' },
      swcrc: false,
    };
    const transform = { '^.+\\.js$': [join(ROOT, 'node_modules/@swc/jest'), swc] };
    const file = own.write('jest.config.json', JSON.stringify({ rootDir: own.folder, transform, ...config }));
    const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
    const options = { cwd: own.folder, timeout: JEST_WITHIN_MS, env: { ...process.env, NODE_OPTIONS: '' } };
    return promisify(execFile)(process.execPath, [jest, '--config', file, '--no-cache'], options).then(
      ({ stderr }) => ({ passes: true, output: stderr }),
      ({ stderr }: { stderr: string }) => ({ passes: false, output: stderr }),
    );
  }

  it('needs the setting of the README, with which it reads the library', async () => {
    const [, patterns = ''] =
      /`"transformIgnorePatterns": (\[.*?\])`/.exec(MarkdownPage.read('README.md').text) ?? [];
    const transformIgnorePatterns = JSON.parse(patterns) as string[];
    const withIt = await runJest('jest-with', { transformIgnorePatterns });
    expect(withIt.output).toContain('1 passed');
    const without = await runJest('jest-without', {});
    expect([withIt.passes, without.passes]).toEqual([true, false]);
    expect(without.output).toMatch(/Unexpected token|Cannot use import statement|Must use import/);
  }, 240_000);
});
