import type { App } from './app.js';
import { LIBRARY } from './app.js';
import { folderOf, joined, relativePath } from './app-files.js';
import { useSnowflakeId } from './entity.js';
import { hasVariable, withVariable } from './env-example.js';
import { IDS_MODULE, idsModuleLines, variableOf } from './ids-module.js';
import { setText } from './json.js';
import { type LeasePlace, leasePlace } from './lease-place.js';
import { bootstrapOf, enableShutdownHooks } from './main-file.js';
import { isAtLeast, type Version } from './manifest.js';
import { NotUnderstoodError } from './not-understood.js';
import { type DeclaredClass, importEnding } from './resolve.js';
import { importModule } from './root-module.js';
import { setNodeEnv } from './scripts.js';
import type { Decisions, Surroundings } from './settings.js';
import type { FileChange, SetupPlan } from './setup-plan.js';
import { inStyle } from './source.js';
import { planTables } from './tables.js';

/** `useProcessExit` exists since this version. */
const PROCESS_EXIT: Version = [11, 1, 10];
const MANIFEST = 'package.json';
const ENV_EXAMPLE = '.env.example';
const DRIVERS = {
  postgres: ['pg', '^8.13.0'],
  mysql: ['mysql2', '^3.11.0'],
  mariadb: ['mysql2', '^3.11.0'],
  sqlite: ['libsql', '^0.5.0'],
} as const;
/** TypeORM doesn't accept version 6 yet. */
const REDIS_DRIVER = ['ioredis', '^5.4.1'] as const;
const EXAMPLE =
  'Generate an ID where Nest injects: constructor(private readonly ids: SnowflakeIdMaker) {} and this.ids.nextId()';
const INIT =
  'Before the very first startup in production, run npx nestjs-snowflake-cli init. Otherwise, it waits 65 s. NODE_ENV=development skips the wait.';
const TYPEORM_KEYS =
  'Give entities IDs: @SnowflakeId() id!: string, from nestjs-snowflake/typeorm, or setup --entity with a name';
const PRISMA_KEYS = [
  'Give rows IDs: declare keys as BigInt @id @default(dbgenerated()), and migrate their columns to bigint',
  'Add the generator nestjs-snowflake-prisma to the schema, and extend the client with snowflakeIds() from nestjs-snowflake/prisma',
  'Send IDs as text: call bigintsAsText(app), from nestjs-snowflake/http, before app.listen(). Otherwise, the first response with an ID fails',
];
const OTHER_SQLITE_DRIVER = 'better-sqlite3';

/** Plans what to change in an app. @throws NotUnderstoodError if it can't be edited */
export function planOf(
  app: App,
  decisions: Decisions,
  surroundings: Surroundings,
  entity: string | undefined,
): SetupPlan {
  return new Planner(app, decisions, surroundings).plan(entity);
}

class Planner {
  private readonly created: FileChange[] = [];
  private readonly added: string[] = [];
  private readonly next: string[] = [];

  constructor(
    private readonly app: App,
    private readonly decisions: Decisions,
    private readonly surroundings: Surroundings,
  ) {}

  /** @throws NotUnderstoodError if a file has a form that can't be edited */
  plan(entity: string | undefined): SetupPlan {
    const { resolver, project, nest, registeredIn, packageManager, manifest } = this.app;
    const main = resolver.source(project.main);
    const bootstrap = bootstrapOf(main);
    const root = resolver.classNamed(main, bootstrap.rootModule);
    if (registeredIn === undefined)
      this.register(root, importEnding(main, root, bootstrap.rootModule, manifest.isEsModule), entity);
    enableShutdownHooks(main, bootstrap, isAtLeast(nest, PROCESS_EXIT));
    this.suggest(setNodeEnv(resolver.source(MANIFEST), this.app.manifest, this.surroundings.isWindows));
    if (entity !== undefined) this.changeEntity(entity);
    const edits = resolver
      .edited()
      .map((each) => ({ path: each.path, before: each.text, after: each.edited() }));
    return {
      kind: 'plan',
      changes: [...edits, ...this.created],
      added: this.added,
      packageManager,
      next: this.next,
    };
  }

  /** Registers the library in its own module, which the root module imports. */
  private register(root: DeclaredClass, ending: string, entity: string | undefined): void {
    const { app, decisions } = this;
    const place = leasePlace(app, decisions.store);
    const path = joined(app.project.sources, 'ids/ids.module.ts');
    if (app.resolver.files.read(path) !== undefined)
      throw new NotUnderstoodError(`${path} exists, and doesn't register SnowflakeModule.`);
    const from = relativePath(folderOf(root.source.path), path).slice(0, -'.ts'.length) + ending;
    importModule(root.source, root.className, { name: IDS_MODULE, from });
    const tables = planTables(app, place, this.surroundings.nowMs);
    const { namespace } = decisions;
    const { hasConfigModule } = app;
    const { createsTables } = tables;
    const lines = idsModuleLines({ place, namespace, hasConfigModule, createsTables });
    this.create(path, inStyle(lines, root.source.style));
    if (tables.file) this.create(tables.file.path, tables.file.text);
    this.suggest(tables.next);
    this.addPackages(place);
    this.addVariable(place);
    if (place.store !== 'memory') this.suggest(INIT);
    this.next.push(...this.keysOfRows(entity), EXAMPLE);
  }

  private addPackages(place: LeasePlace): void {
    const { packages } = this.app.manifest;
    const wanted: (readonly [string, string])[] = [[LIBRARY, `^${this.surroundings.libraryVersion}`]];
    if (place.store === 'redis') wanted.push(REDIS_DRIVER);
    if (place.store === 'sql' && place.dialect) wanted.push(DRIVERS[place.dialect]);
    const manifest = this.app.resolver.source(MANIFEST);
    for (const [name, range] of wanted.sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (packages[name] !== undefined) continue;
      if (name === DRIVERS.sqlite[0] && packages[OTHER_SQLITE_DRIVER] !== undefined) continue;
      setText(manifest, 'dependencies', name, range);
      this.added.push(name);
    }
  }

  private addVariable(place: LeasePlace): void {
    const variable = variableOf(place);
    if (variable === undefined) return;
    const { files } = this.app.resolver;
    const before = files.read(ENV_EXAMPLE);
    const after = withVariable(before, variable);
    if (after !== undefined) this.created.push({ path: ENV_EXAMPLE, before, after });
    if (!hasVariable(files.read('.env'), variable))
      this.suggest(`Set ${variable} in the environment of the app.`);
  }

  /** Returns how rows get IDs, unless an entity has just got its key. */
  private keysOfRows(entity: string | undefined): readonly string[] {
    const { typeOrm, prisma } = this.app;
    if (typeOrm && entity === undefined) return [TYPEORM_KEYS];
    return prisma ? PRISMA_KEYS : [];
  }

  private changeEntity(name: string): void {
    const { typeOrm, prisma } = this.app;
    if (prisma && !typeOrm) {
      this.suggest(
        `${name} was not changed: --entity is for TypeORM, and Prisma's models declare their keys in the schema.`,
      );
      return;
    }
    useSnowflakeId(this.app, name);
    this.suggest(
      `Before ${name} gets its new key, widen the column and those that refer to it: npx nestjs-snowflake-cli sql widen`,
    );
  }

  private create(path: string, after: string): void {
    this.created.push({ path, before: undefined, after });
  }

  private suggest(sentence: string | undefined): void {
    if (sentence !== undefined) this.next.push(sentence);
  }
}
