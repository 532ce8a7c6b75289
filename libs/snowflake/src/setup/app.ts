import { type AppFiles, folderOf, NO_SOURCES } from './app-files.js';
import { importsFrom, isImported } from './imports.js';
import { isAtLeast, type Manifest, readManifest, type Version, versionOf } from './manifest.js';
import { UnfitAppError } from './not-understood.js';
import { prismaUse, type PrismaUse } from './prisma.js';
import { type Project, projectOf } from './project.js';
import { Resolver } from './resolve.js';
import type { PackageManager } from './setup-plan.js';
import type { Source } from './source.js';
import { typeOrmUse, type TypeOrmUse } from './typeorm.js';
import type { TypeScript } from './typescript.js';

/** What the setup has found out about an app. */
export interface App {
  readonly resolver: Resolver;
  readonly manifest: Manifest;
  readonly project: Project;
  readonly nest: Version;
  /** The sources that can concern IDs, without tests. */
  readonly sources: readonly Source[];
  readonly typeOrm: TypeOrmUse | undefined;
  readonly prisma: PrismaUse | undefined;
  /** The first of the other ORMs that the app names. */
  readonly otherOrm: string | undefined;
  readonly hasConfigModule: boolean;
  /** The file that registers the library already. */
  readonly registeredIn: string | undefined;
  readonly packageManager: PackageManager;
  readonly testRunner: 'jest' | 'vitest' | undefined;
}

export const LIBRARY = 'nestjs-snowflake';
const OTHER_ORMS = ['@mikro-orm/core', 'drizzle-orm', 'sequelize', 'knex', 'kysely', 'mongoose'];
/** What a file must contain to be parsed: most files of a large app concern no ID. */
const CONCERNED = ['typeorm', '@nestjs/config', LIBRARY];
const LOWEST_NEST: Version = [11, 0, 0];

/**
 * Looks at an app. Changes nothing.
 *
 * @param projectName a project of the workspace; by default the one that `nest start` starts
 * @throws UnfitAppError if it is no app of Nest 11 or later
 */
export function lookAtApp(ts: TypeScript, files: AppFiles, projectName?: string): App {
  const manifest = readManifest(files);
  const nest = versionOf(files, manifest, '@nestjs/core');
  if (nest === undefined)
    throw new UnfitAppError('package.json names no @nestjs/core. Run it in the folder of a Nest app.');
  if (!isAtLeast(nest, LOWEST_NEST))
    throw new UnfitAppError(
      `The app uses Nest ${nest.join('.')}. ${LIBRARY} needs Nest 11 or 12: update Nest first.`,
    );
  const project = projectOf(ts, files, manifest, projectName);
  const resolver = new Resolver(ts, files);
  const sources = concernedSources(resolver, project);
  const { packages } = manifest;
  return {
    resolver,
    manifest,
    project,
    nest,
    sources,
    typeOrm: typeOrmUse(
      sources.filter((each) => importsFrom(each, 'typeorm') || importsFrom(each, '@nestjs/typeorm')),
      manifest,
    ),
    prisma: prismaUse(resolver, manifest),
    otherOrm: OTHER_ORMS.find((name) => packages[name] !== undefined),
    hasConfigModule: sources.some((each) => importsFrom(each, '@nestjs/config')),
    registeredIn: sources.find(registersModule)?.path,
    packageManager: packageManagerOf(files),
    testRunner: (['vitest', 'jest'] as const).find((name) => packages[name] !== undefined),
  };
}

function registersModule(source: Source): boolean {
  return [...source.nodes()].some((node) => isImported(source, node, 'SnowflakeModule', LIBRARY));
}

function concernedSources(resolver: Resolver, { sources }: Project): Source[] {
  const { files } = resolver;
  return files
    .below(folderOf(sources))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !isTest(path))
    .filter((path) => CONCERNED.some((word) => files.read(path)?.includes(word)))
    .map((path) => resolver.source(path));
}

function isTest(path: string): boolean {
  const isInTests = path
    .split('/')
    .some((step) => ['test', 'tests', 'e2e', '__tests__', ...NO_SOURCES].includes(step));
  return isInTests || ['.spec.ts', '-spec.ts', '.test.ts'].some((ending) => path.endsWith(ending));
}

const LOCKS: readonly (readonly [string, PackageManager])[] = [
  ['package-lock.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];
/** Where the root of a workspace can be, seen from one of its apps. */
const ABOVE = ['../', '../../', '../../../'];

/** An app of a workspace has no lock file: the root has it. */
function packageManagerOf(files: AppFiles): PackageManager {
  const lockIn = (folder: string): PackageManager | undefined =>
    LOCKS.find(([lock]) => files.read(`${folder}${lock}`) !== undefined)?.[1];
  const root = ABOVE.find((folder) => isWorkspace(files, folder));
  return lockIn('') ?? (root === undefined ? undefined : lockIn(root)) ?? 'npm';
}

function isWorkspace(files: AppFiles, folder: string): boolean {
  const manifest = files.read(`${folder}package.json`) ?? '';
  return files.read(`${folder}pnpm-workspace.yaml`) !== undefined || /"workspaces"\s*:/.test(manifest);
}
