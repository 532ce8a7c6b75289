import { jest } from '@jest/globals';
import { ENTRY_POINTS, type EntryPointUse } from '../../../packaging/entry-points.js';
import { inspectDeclarations } from './declarations.js';
import { withoutModuleSync } from './esm-only.js';
import {
  INSTALL_WITHIN_MS,
  LIBRARY_NAMES,
  PackedLibrary,
  type Project,
  USE_WITHIN_MS,
} from './packed-library.js';

jest.setTimeout(USE_WITHIN_MS);

const fileOf = (entryPoint: string): string => entryPoint.replaceAll('/', '-');

/** A hook of Node that notes every module that is loaded by `import`. */
const NOTING_HOOK = String.raw`
  import { appendFileSync } from 'node:fs';
  export function load(url, context, next) {
    appendFileSync(new URL('loaded.txt', import.meta.url), url + '\n');
    return next(url, context);
  }`;

/** Prints the paths of all files that the import of an entry point loads. */
const loadedBy = (entryPoint: string): string => String.raw`
  import { readFileSync } from 'node:fs';
  import { createRequire, register } from 'node:module';
  register('./hook.mjs', import.meta.url);
  await import('${entryPoint}');
  const imported = readFileSync(new URL('loaded.txt', import.meta.url), 'utf8').split('\n');
  const required = Object.keys(createRequire(import.meta.url).cache);
  console.log(JSON.stringify([...imported, ...required]));`;

/** Every text in a part of the manifest. */
function pathsIn(part: unknown): string[] {
  if (typeof part === 'string') return [part];
  return Object.values(part as object).flatMap(pathsIn);
}

const WITH_CODE = ENTRY_POINTS.filter(({ hasNoCode }) => !hasNoCode);

/** Prints, per entry point, whether `require()` gives what `import` gives. */
const COMPARISON = `
  import { createRequire } from 'node:module';
  const require = createRequire(import.meta.url);
  const entryPoints = ${JSON.stringify(WITH_CODE.map(({ entryPoint }) => entryPoint))};
  const same = await Promise.all(entryPoints.map(async (entryPoint) => {
    const [imported, required] = [await import(entryPoint), require(entryPoint)];
    return Object.keys(imported).every((name) => imported[name] === required[name]);
  }));
  console.log(JSON.stringify(same));`;

const peersOf = ({ peers }: EntryPointUse): string => peers.join(', ') || 'the libraries';
/** The sets of peers, and the entry points that need each. */
const BY_PEERS = [...new Set(ENTRY_POINTS.map(peersOf))].map(
  (peers) => [peers, ENTRY_POINTS.filter((entryPoint) => peersOf(entryPoint) === peers)] as const,
);

/** Requires and uses entry points, and prints what each gives. */
const requiring = (entryPoints: readonly EntryPointUse[]): string => `
  const uses = {
    ${entryPoints.map(({ entryPoint, use }) => `'${entryPoint}': async (entryPoint) => {${use}\n}`).join(',\n')}
  };
  (async () => {
    const given = {};
    for (const [name, use] of Object.entries(uses)) given[name] = await use(require(name));
    console.log(JSON.stringify(given));
  })();`;

/** Imports entry points, and prints why each of them does not load. */
const refusing = (entryPoints: readonly string[]): string => `
  const reasonOf = (name) => import(name).then(() => 'It loads.', ({ message }) => message);
  const names = ${JSON.stringify(entryPoints)};
  console.log(JSON.stringify(await Promise.all(names.map(async (name) => [name, await reasonOf(name)]))));`;

/** The definitions of the gRPC services, and what finds them. */
const PROTO_FILES = /^(proto\/(.*\.proto|index\.(mjs|d\.mts))|dist\/cjs\/proto-folder\.cjs)$/;

describe('the packed libraries', () => {
  let library: PackedLibrary;
  beforeAll(async () => {
    library = await PackedLibrary.install();
  }, INSTALL_WITHIN_MS);

  const projects = new Map<string, Project>();
  /** The project with these packages, for all entry points that need no others. */
  function projectWith(peers: readonly string[], manifests?: 'without module-sync'): Project {
    const key = [...peers, manifests].join(' ');
    const project = projects.get(key) ?? library.project(`project-${projects.size}`, peers);
    if (manifests && !projects.has(key)) project.changeManifests(withoutModuleSync);
    projects.set(key, project);
    return project;
  }
  afterAll(() => library?.remove());

  it.each(LIBRARY_NAMES)(
    '%s holds the built files, a README, a changelog and a license, and nothing else',
    (name) => {
      const files = library.filesOf(name);
      expect(files).toEqual(
        expect.arrayContaining([
          'package.json',
          'README.md',
          'LICENSE',
          'dist/esm/index.js',
          'dist/cjs/index.js',
        ]),
      );
      const others = files.filter(
        (file) => !/^dist\/(esm|cjs)\/.*\.(js|d\.ts)$/.test(file) && !PROTO_FILES.test(file),
      );
      expect(others.sort()).toEqual([
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'dist/cjs/package.json',
        'package.json',
      ]);
      expect(files.filter((file) => /\.spec\./.test(file))).toEqual([]);
    },
  );

  it.each(LIBRARY_NAMES)('%s brings no dependency', (name) => {
    const { dependencies, private: isPrivate = false } = library.manifestOf(name);
    expect(dependencies).toBeUndefined();
    expect(isPrivate).toBe(false);
  });

  it.each(LIBRARY_NAMES)('every entry point of %s has declarations, code and a test', (name) => {
    const { exports, main, types, typesVersions } = library.manifestOf(name);
    const files = [exports, main, types, typesVersions].flatMap(pathsIn);
    expect(library.filesOf(name)).toEqual(
      expect.arrayContaining(files.map((file) => file.replace('./', ''))),
    );
    const entryPoints = Object.keys(exports).filter((key) => typeof exports[key] !== 'string');
    expect(Object.keys(typesVersions['*']).map((path) => `./${path}`)).toEqual(
      entryPoints.filter((key) => key !== '.'),
    );
    expect(entryPoints.map((key) => key.replace('.', name)).sort()).toEqual(
      ENTRY_POINTS.map(({ entryPoint }) => entryPoint)
        .filter((entryPoint) => entryPoint === name || entryPoint.startsWith(`${name}/`))
        .sort(),
    );
  });

  describe.each(ENTRY_POINTS)('$entryPoint', ({ entryPoint, peers, use, gives }) => {
    it(`works from ESM with nothing but ${peers.join(', ') || 'itself'}`, async () => {
      const script = `import * as entryPoint from '${entryPoint}';\nconst use = async () => {${use}\n};\nconsole.log(JSON.stringify(await use()));\n`;
      expect(await projectWith(peers).run(`${fileOf(entryPoint)}.mjs`, script)).toEqual(gives);
    });
  });

  // The tests above show that an entry point needs no other one, so those with the same peers share a process.
  describe.each(BY_PEERS)('with nothing but %s', (_peers, together) => {
    const peers = together[0]?.peers ?? [];
    const given = Object.fromEntries(together.map(({ entryPoint, gives }) => [entryPoint, gives]));

    it('every entry point works from CommonJS', async () => {
      expect(await projectWith(peers).run('use.cjs', requiring(together))).toEqual(given);
    });

    it('every entry point works in its CommonJS build, which Jest loads', async () => {
      // Without that condition Node does as Jest.
      const project = projectWith(peers, 'without module-sync');
      expect(await project.run('use.cjs', requiring(together))).toEqual(given);
    });
  });

  describe('for code that imports and code that requires, in one process', () => {
    const peers = [...new Set(ENTRY_POINTS.flatMap((entryPoint) => entryPoint.peers))];
    const entryPoints = (isOne: boolean): boolean[] => WITH_CODE.map(() => isOne);

    it('code that imports and code that requires share one copy of the library', async () => {
      expect(await library.project('one-copy', peers).run('compare.mjs', COMPARISON)).toEqual(
        entryPoints(true),
      );
    });

    it('there are two copies without the condition module-sync (control)', async () => {
      const project = library.project('two-copies', peers);
      project.changeManifests(withoutModuleSync);
      expect(await project.run('compare.mjs', COMPARISON)).toEqual(entryPoints(false));
    });
  });

  // Control: were a peer found from anywhere but the project, the tests above would prove nothing.
  it('no entry point loads without its peers (control)', async () => {
    const withPeers = ENTRY_POINTS.filter(({ peers }) => peers.length > 0);
    const refusals = withPeers.map(({ entryPoint, peers }) => [
      entryPoint,
      expect.stringMatching(`Cannot find package '(${peers.join('|')})'`),
    ]);
    const names = withPeers.map(({ entryPoint }) => entryPoint);
    expect(await projectWith([]).run('refusals.mjs', refusing(names))).toEqual(refusals);
  });

  describe('beside every optional peer', () => {
    const peers = [...new Set(ENTRY_POINTS.flatMap((entryPoint) => entryPoint.peers))];
    const optional = (): string[] => Object.keys(library.manifestOf('nestjs-snowflake').peerDependenciesMeta);

    /** The optional peers that an import loads. */
    async function loaded(entryPoint: string): Promise<string[]> {
      const project = library.project(`loads-${fileOf(entryPoint)}`, peers);
      project.write('hook.mjs', NOTING_HOOK);
      const paths = (await project.run('load.mjs', loadedBy(entryPoint))) as string[];
      expect(paths.some((path) => path.includes('/nestjs-snowflake/dist/'))).toBe(true);
      return optional().filter((name) => paths.some((path) => path.includes(`/node_modules/${name}/`)));
    }

    it.each([
      ['nestjs-snowflake', ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs']],
      ['nestjs-snowflake/standalone', []],
    ])('%s loads only %j of them', async (entryPoint, own) => expect(await loaded(entryPoint)).toEqual(own));

    it('nestjs-snowflake/redis loads its own (control)', async () => {
      expect(await loaded('nestjs-snowflake/redis')).toEqual(['ioredis']);
    });
  });

  it('suits strict TypeScript, and explains every export in its declarations', () => {
    const project = library.project('typescript', [...new Set(ENTRY_POINTS.flatMap(({ peers }) => peers))]);
    const files = ENTRY_POINTS.map(({ entryPoint, use }) =>
      project.write(
        `${fileOf(entryPoint)}.ts`,
        `import * as entryPoint from '${entryPoint}';\nexport const use = async () => {${use}\n};\n`,
      ),
    );
    const { errors, undocumented, exportCount } = inspectDeclarations(files);
    expect(errors).toEqual([]);
    expect(undocumented).toEqual([]);
    expect(exportCount).toBeGreaterThan(40);
  });
});
