import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { jest } from '@jest/globals';
import { MarkdownPage } from '../../../docs/markdown.js';
import { esmOnly } from './esm-only.js';
import { INSTALL_WITHIN_MS, PackedLibrary, type Project, USE_WITHIN_MS } from './packed-library.js';

jest.setTimeout(USE_WITHIN_MS);

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
/** The packages of the README's commands, and those that an app of Nest has. */
const INSTALLED = [
  '@nestjs/common',
  '@nestjs/config',
  '@nestjs/core',
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
const NODE_10 = { module: ModuleKind.CommonJS, moduleResolution: ModuleResolutionKind.Node10 };
/** The settings of TypeScript under which a project can import and require the library. */
const SETTINGS: readonly (readonly [name: string, options: ts.CompilerOptions])[] = [
  ['module nodenext', { module: ModuleKind.NodeNext }],
  ['module node20', { module: ModuleKind.Node20 }],
  ['moduleResolution bundler', { module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler }],
  ['module node16', { module: ModuleKind.Node16 }],
  ['module node18', { module: ModuleKind.Node18 }],
  ['moduleResolution node10', NODE_10],
];
/** Entry points that need no package: what is at stake is how they are found, and whether they may be required. */
const ENTRY_POINTS = ['core', 'codecs'];
const ENTRY_POINT_FILE = ENTRY_POINTS.map(
  (entryPoint) =>
    `import * as ${entryPoint} from 'nestjs-snowflake/${entryPoint}';\nexport const of_${entryPoint} = ${entryPoint};\n`,
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
}, INSTALL_WITHIN_MS);
afterAll(() => library?.remove());

describe('TypeScript', () => {
  /** What the compiler has against a file that imports the entry points, and one that requires them. */
  function problemsOfEntryPoints(user: Project, options: ts.CompilerOptions): number[][] {
    const files = ['mts', 'cts'].map((extension) =>
      user.write(`entry-points.${extension}`, ENTRY_POINT_FILE),
    );
    return files.map((file) => problemsIn([file], { ...options, types: [] }));
  }

  it.each(SETTINGS)(
    'TypeScript with %s finds the entry points, from ES modules and from CommonJS',
    (_name, options) => {
      expect(problemsOfEntryPoints(project, options)).toEqual([[], []]);
    },
  );

  it('TypeScript misses some entry points without the CommonJS build (control)', () => {
    const esm = library.project('esm-only', []);
    esm.changeManifests(esmOnly);
    expect(problemsOfEntryPoints(esm, { module: ModuleKind.Node16 })).toEqual([[], [1479]]);
    expect(problemsOfEntryPoints(esm, NODE_10)).toEqual([[2307], [2307]]);
  });

  it('TypeScript compiles the examples of the README with what its install line brings', () => {
    const files = MarkdownPage.read('README.md')
      .blocksIn('ts')
      .map(({ text }) => project.write(/^\/\/ src\/(\S+\.ts)\n/.exec(text)?.[1] ?? 'unnamed.ts', text));
    expect(files.length).toBeGreaterThan(0);
    expect(problemsIn(files, { module: ModuleKind.NodeNext })).toEqual([]);
  });
});

describe('ioredis 6', () => {
  it('ioredis 6 beside TypeORM needs the override of the documentation', () => {
    const { peerDependencies } = JSON.parse(
      readFileSync(join(ROOT, 'node_modules/typeorm/package.json'), 'utf8'),
    ) as { peerDependencies: Record<string, string> };
    expect(peerDependencies['ioredis']).toMatch(/^\^5/);
    expect(peerDependencies['ioredis']).not.toMatch(/6/);
    const { overrides } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      overrides: object;
    };
    const [, said = ''] =
      /`"overrides": (\{.*?\} \})`/.exec(
        MarkdownPage.read('docs/getting-started.md').text.replaceAll('\n', ' '),
      ) ?? [];
    expect(overrides).toMatchObject(JSON.parse(said) as object);
  });
});
