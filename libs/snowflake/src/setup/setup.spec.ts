import ts from 'typescript';
import { type AppFiles, NO_SOURCES } from './app-files.js';
import type { SetupRequest } from './settings.js';
import { planSetup } from './setup.js';
import type { SetupByHand, SetupPlan } from './setup-plan.js';

const SURROUNDINGS = { nowMs: Date.UTC(2026, 0, 2, 3, 4, 5), libraryVersion: '0.1.0', isWindows: false };
const MAIN = `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  await app.listen(process.env.PORT ?? 3000);
}
bootstrap();
`;
const MODULE = `import { Module } from '@nestjs/common';
import { AppController } from './app.controller';

@Module({
  imports: [],
  controllers: [AppController],
})
export class AppModule {}
`;
const MANIFEST = `{
  "name": "shop",
  "scripts": {
    "build": "nest build",
    "start:dev": "nest start --watch"
  },
  "dependencies": {
    "@nestjs/common": "^11.1.10",
    "@nestjs/core": "^11.1.10",
    "rxjs": "^7.8.1"
  },
  "devDependencies": {
    "typescript": "^5.7.3"
  }
}
`;

type Files = Readonly<Record<string, string>>;
const APP: Files = { 'package.json': MANIFEST, 'src/main.ts': MAIN, 'src/app.module.ts': MODULE };

function filesOf(files: Files): AppFiles {
  return {
    read: (path) => files[path],
    below: (folder) =>
      Object.keys(files).filter(
        (path) =>
          path.startsWith(folder === '' ? '' : `${folder}/`) &&
          !NO_SOURCES.includes(path.split('/')[0] ?? ''),
      ),
  };
}

function planOf(
  files: Files,
  request: SetupRequest = {},
  surroundings = SURROUNDINGS,
): SetupPlan | SetupByHand {
  return planSetup(ts, filesOf(files), request, surroundings);
}

/** The app after the setup, whose sources all parse. The setup has nothing to change in it. */
function setUp(files: Files, request: SetupRequest = {}): Record<string, string> {
  const plan = planOf(files, request);
  if (plan.kind !== 'plan') throw new Error(plan.problem);
  const after: Record<string, string> = { ...files };
  for (const change of plan.changes) {
    expect(change.before).toBe(files[change.path]);
    after[change.path] = change.after;
  }
  for (const [path, text] of Object.entries(after)) {
    if (!path.endsWith('.ts')) continue;
    const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
    expect(Reflect.get(tree, 'parseDiagnostics')).toEqual([]);
  }
  expect(planOf(after, request)).toMatchObject({ kind: 'plan', changes: [] });
  return after;
}

function problemOf(files: Files, request: SetupRequest = {}): string {
  const plan = planOf(files, request);
  if (plan.kind === 'plan') throw new Error('The app was understood.');
  return plan.problem;
}

/** Adds packages to the manifest of the app. */
function withPackages(packages: Files, files: Files = APP): Files {
  const manifest = JSON.parse(files['package.json'] ?? '{}');
  Object.assign(manifest.dependencies, packages);
  return { ...files, 'package.json': `${JSON.stringify(manifest, null, 2)}\n` };
}

const withModule = (text: string, main = MAIN): Files => ({
  ...APP,
  'src/main.ts': main,
  'src/app.module.ts': text,
});

describe('the package manager', () => {
  it.each<[string, Files, string]>([
    ['its own lock file', { 'pnpm-lock.yaml': '' }, 'pnpm'],
    ['that of a pnpm workspace', { '../../pnpm-workspace.yaml': '', '../../pnpm-lock.yaml': '' }, 'pnpm'],
    [
      'that of a workspace of Yarn',
      { '../package.json': '{ "workspaces": ["*"] }', '../yarn.lock': '' },
      'yarn',
    ],
    ['none: the folder above is no workspace', { '../package.json': '{}', '../pnpm-lock.yaml': '' }, 'npm'],
  ])('follows %s', (_, locks, packageManager) => {
    expect(planOf({ ...APP, ...locks })).toMatchObject({ packageManager });
  });
});

describe('an app without a database', () => {
  it('registers a store in memory, and releases worker IDs on a signal', () => {
    const after = setUp(APP);
    expect(after['src/app.module.ts']).toBe(`import { Module } from '@nestjs/common';
import { AppController } from './app.controller';
import { IdsModule } from './ids/ids.module';

@Module({
  imports: [IdsModule],
  controllers: [AppController],
})
export class AppModule {}
`);
    expect(after['src/main.ts']).toContain(`  const app = await NestFactory.create(AppModule);
  app.enableShutdownHooks([], { useProcessExit: true });
  await app.listen(process.env.PORT ?? 3000);
`);
    expect(after['src/ids/ids.module.ts']).toBe(`import { Module } from '@nestjs/common';
import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';

@Module({
  imports: [
    SnowflakeModule.forRoot({
      epoch: '2024-01-01T00:00:00Z', // never change it later
      // For one process. In production, lease worker IDs in Redis or SQL.
      store: memoryLeaseStore(),
    }),
  ],
})
export class IdsModule {}
`);
    expect(after['package.json']).toBe(
      MANIFEST.replace('"nest start', '"NODE_ENV=development nest start').replace(
        '    "rxjs"',
        '    "nestjs-snowflake": "^0.1.0",\n    "rxjs"',
      ),
    );
  });

  it('uses ioredis if the app has it', () => {
    const after = setUp(withPackages({ ioredis: '^5.4.1' }));
    expect(after['src/ids/ids.module.ts']).toContain(`      useFactory: () => ({
        epoch: '2024-01-01T00:00:00Z', // never change it later
        store: redisLeaseStore({
          url: process.env.REDIS_URL,
          namespace: 'shop',
        }),
      }),
`);
    expect(after['.env.example']).toBe('REDIS_URL=redis://localhost:6379\n');
  });

  it('adds the driver of the chosen store, in the order of the names', () => {
    const after = setUp(APP, { store: 'redis', namespace: 'orders' });
    expect(after['package.json']).toContain(`    "@nestjs/core": "^11.1.10",
    "ioredis": "^5.4.1",
    "nestjs-snowflake": "^0.1.0",
    "rxjs"`);
    expect(after['src/ids/ids.module.ts']).toContain("namespace: 'orders'");
  });

  it('writes plain SQL if no tool has migrations', () => {
    const after = setUp(withPackages({ pg: '^8.13.0' }));
    expect(after['src/ids/ids.module.ts']).toContain('url: process.env.DATABASE_URL,');
    expect(after['src/ids/ids.module.ts']).not.toContain('createTable');
    expect(after['sql/snowflake_lease_tables.sql']).toMatch(
      /^CREATE TABLE IF NOT EXISTS "?snowflake_lease_namespace/,
    );
  });

  it('reads the environment through ConfigService if the app does', () => {
    const config = MODULE.replace('imports: []', 'imports: [ConfigModule.forRoot()]');
    const files = withModule(`import { ConfigModule } from '@nestjs/config';\n${config}`);
    const after = setUp(withPackages({ ioredis: '5' }, { ...files, '.env.example': 'PORT=3000' }));
    expect(after['src/ids/ids.module.ts']).toContain(`      imports: [ConfigModule],
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({
        epoch: '2024-01-01T00:00:00Z', // never change it later
        store: redisLeaseStore({
          url: config.getOrThrow<string>('REDIS_URL'),
`);
    expect(after['.env.example']).toBe('PORT=3000\nREDIS_URL=redis://localhost:6379\n');
  });

  it.each([
    ['11.1.9', 'app.enableShutdownHooks();'],
    ['11.1.10', 'app.enableShutdownHooks([], { useProcessExit: true });'],
    ['12.0.0', 'app.enableShutdownHooks([], { useProcessExit: true });'],
  ])('calls the shutdown hooks as the installed Nest %s knows them', (version, line) => {
    const after = setUp({ ...APP, 'node_modules/@nestjs/core/package.json': JSON.stringify({ version }) });
    expect(after['src/main.ts']).toContain(line);
  });

  it('takes the name of a scoped package without its scope as the namespace', () => {
    const files = { ...APP, 'package.json': MANIFEST.replace('"shop"', '"@acme/my shop"') };
    expect(setUp(files, { store: 'redis' })['src/ids/ids.module.ts']).toContain("namespace: 'my-shop'");
  });

  it('refuses a namespace that no store accepts', () => {
    expect(() => planOf(APP, { namespace: "it's" })).toThrow('namespace');
  });
});

describe('the imports of a root module', () => {
  const IMPORT = "import { IdsModule } from './ids/ids.module';\n";
  const inModule = (options: string) =>
    `import { Module } from '@nestjs/common';\n\n@Module(${options})\nexport class AppModule {}\n`;

  it.each([
    ['has no options', '{}', '{ imports: [IdsModule] }'],
    ['has no imports', '{\n  providers: [],\n}', '{\n  imports: [IdsModule],\n  providers: [],\n}'],
    ['has other options on one line', '{ providers: [] }', '{ imports: [IdsModule], providers: [] }'],
    ['has one import', '{ imports: [A] }', '{ imports: [IdsModule, A] }'],
    ['has a trailing comma', '{ imports: [A,] }', '{ imports: [IdsModule, A,] }'],
    ['has a quoted key', "{ 'imports': [A] }", "{ 'imports': [IdsModule, A] }"],
    ['spreads an array', '{ imports: [...shared, A] }', '{ imports: [IdsModule, ...shared, A] }'],
    [
      'has imports on lines',
      '{\n  imports: [\n    A,\n    B,\n  ],\n}',
      '{\n  imports: [\n    IdsModule,\n    A,\n    B,\n  ],\n}',
    ],
    [
      'has comments between imports',
      '{\n  imports: [ // all\n    // about A\n    A, // A\n    /* B */ B,\n  ],\n}',
      '{\n  imports: [ // all\n    IdsModule,\n    // about A\n    A, // A\n    /* B */ B,\n  ],\n}',
    ],
    [
      'calls forRootAsync',
      '{\n  imports: [\n    A.forRootAsync({ imports: [C], useFactory: () => ({ imports: [] }) }),\n  ],\n}',
      '{\n  imports: [\n    IdsModule,\n    A.forRootAsync({ imports: [C], useFactory: () => ({ imports: [] }) }),\n  ],\n}',
    ],
    ['takes its imports from a variable', '{ imports: shared }', '{ imports: [IdsModule, ...shared] }'],
    ['concatenates its imports', '{ imports: [A].concat(b) }', '{ imports: [IdsModule, ...[A].concat(b)] }'],
    ['chooses its imports', '{ imports: dev ? [A] : [] }', '{ imports: [IdsModule, ...dev ? [A] : []] }'],
    ['has a shorthand', '{ imports, providers: [] }', '{ imports: [IdsModule, ...imports], providers: [] }'],
    [
      'spreads options before its imports',
      '{ ...meta, imports: [A] }',
      '{ ...meta, imports: [IdsModule, A] }',
    ],
    ['satisfies a type', '{ imports: [A] } satisfies Meta', '{ imports: [IdsModule, A] } satisfies Meta'],
  ])('get one more if the module %s', (_, before, expected) => {
    const after = setUp(withModule(inModule(before)))['src/app.module.ts'];
    expect(after).toBe(inModule(expected).replace('\n\n@Module', `\n${IMPORT}\n@Module`));
  });

  it.each([
    ['only spreads options', '{ ...meta }', 'spread'],
    ['spreads options after its imports', '{ imports: [A], ...meta }', 'spread'],
    ['takes its options from a variable', 'meta', 'not an object'],
    ['calls a function for its options', 'metaOf()', 'not an object'],
    ['computes its imports by a method', '{ imports() { return [] } }', 'neither'],
  ])('stay as they are if the module %s', (_, options, problem) => {
    expect(problemOf(withModule(inModule(options)))).toContain(problem);
  });

  it('are those of the class that the app starts, among several modules of a file', () => {
    const second = `@Module({ imports: [] })\nexport class Other {}\n`;
    const after = setUp(withModule(`${inModule('{ imports: [] }')}\n${second}`))['src/app.module.ts'];
    expect(after).toContain('@Module({ imports: [IdsModule] })\nexport class AppModule');
    expect(after).toContain(second);
  });

  it('are found when the decorator has another name', () => {
    const text = inModule('{ imports: [] }')
      .replace('{ Module }', '{ Module as Nest }')
      .replace('@Module', '@Nest');
    expect(setUp(withModule(text))['src/app.module.ts']).toContain('@Nest({ imports: [IdsModule] })');
  });

  it('keep the line ends, quotes, semicolons and indentation of the file', () => {
    const text = `import { Module } from "@nestjs/common"\r\n\r\n@Module({\r\n\timports: [],\r\n})\r\nexport class AppModule {}\r\n`;
    const after = setUp(withModule(text));
    expect(after['src/app.module.ts']).toContain(
      `"@nestjs/common"\r\nimport { IdsModule } from "./ids/ids.module"\r\n`,
    );
    expect(after['src/ids/ids.module.ts']).toContain(`import { Module } from "@nestjs/common"\r\n`);
    expect(after['src/ids/ids.module.ts']).toContain('\r\n\timports: [\r\n\t\tSnowflakeModule.forRoot({\r\n');
  });

  it('keep comments after the last import, and are not misled by text that looks like one', () => {
    const text = `import { Module } from '@nestjs/common';
import { A } from './a'; // the last one

const text = "} from 'nowhere';";
@Module({ imports: [A], providers: [text] })
export class AppModule {}
`;
    expect(setUp(withModule(text))['src/app.module.ts']).toContain(
      `from './a'; // the last one\n${IMPORT}\nconst text = `,
    );
  });
});

describe('the file that starts the app', () => {
  const importing = (line: string) => MAIN.replace("import { AppModule } from './app.module';", line);

  it.each([
    ['with an ending', "import { AppModule } from './app.module.js';", './ids/ids.module.js'],
    [
      'with the ending of sources, after a file without one',
      "import './polyfill';\nimport { AppModule } from './app.module.ts';",
      './ids/ids.module.ts',
    ],
    ['under another name', "import { AppModule as AppModule } from './app.module';", './ids/ids.module'],
    ['through a barrel', "import { AppModule } from './barrel';", './ids/ids.module'],
    ['through a path of the compiler', "import { AppModule } from '@/app.module';", './ids/ids.module'],
    ['from the root of the sources', "import { AppModule } from 'src/app.module';", './ids/ids.module'],
  ])('imports the root module %s', (_, line, expected) => {
    const tsconfig =
      '{ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"] } } } // comments are fine';
    const module = "import { Module } from '@nestjs/common';\n@Module({})\nexport class AppModule {}\n";
    const files = {
      ...withModule(module, importing(line)),
      'tsconfig.json': tsconfig,
      'src/barrel.ts': "export * from './app.module';\n",
    };
    expect(setUp(files)['src/app.module.ts']).toContain(`import { IdsModule } from '${expected}';`);
  });

  it('can declare the root module itself', () => {
    const both =
      MODULE.replace(/import \{ AppController.*\n/, '').replace('AppController', '') +
      MAIN.replace(/import \{ AppModule.*\n/, '');
    const after = setUp({ 'package.json': MANIFEST, 'src/main.ts': both })['src/main.ts'];
    expect(after).toContain('imports: [IdsModule]');
    expect(after).toContain('app.enableShutdownHooks(');
  });

  it('keeps its own shutdown hooks', () => {
    const main = MAIN.replace('  await app.listen', '  app.enableShutdownHooks();\n  await app.listen');
    expect(setUp(withModule(MODULE, main))['src/main.ts']).toBe(main);
  });

  it.each([
    [
      'a comment before it listens',
      '  // Listens.\n  await app.listen(3000);',
      '  app.enableShutdownHooks([], { useProcessExit: true });\n  // Listens.\n  await app.listen(3000);',
    ],
    [
      'a variable for the server',
      '  const server = await app.listen(3000);',
      '  app.enableShutdownHooks([], { useProcessExit: true });\n  const server = await app.listen(3000);',
    ],
    [
      'no listening',
      '  await app.init();',
      '  app.enableShutdownHooks([], { useProcessExit: true });\n  await app.init();',
    ],
  ])('can have %s', (_, before, expected) => {
    const main = MAIN.replace('  await app.listen(process.env.PORT ?? 3000);', before);
    expect(setUp(withModule(MODULE, main))['src/main.ts']).toContain(expected);
  });

  it('can assign the app to a variable', () => {
    const main = MAIN.replace('const app = await', 'let app;\n  app = await');
    expect(setUp(withModule(MODULE, main))['src/main.ts']).toContain(
      '  app = await NestFactory.create(AppModule);\n  app.enableShutdownHooks([], { useProcessExit: true });\n',
    );
  });

  it('can make an app of an adapter, with a type and other names', () => {
    const main = `import { NestFactory as Factory } from '@nestjs/core';
import { AppModule as Root } from './app.module';

const shop = await Factory.create<NestFastifyApplication>(Root, new FastifyAdapter());
await shop.listen({ port: 3000 });
`;
    expect(setUp(withModule(MODULE, main))['src/main.ts']).toContain(
      'shop.enableShutdownHooks([], { useProcessExit: true });\nawait shop.listen(',
    );
  });

  it.each([
    ['is missing', { 'src/main.ts': undefined as unknown as string }, 'no src/main.ts'],
    [
      'starts the app elsewhere',
      { 'src/main.ts': "import { run } from './run';\nrun();\n" },
      'has no `const app',
    ],
    [
      'starts two apps',
      { 'src/main.ts': `${MAIN}\nconst b = await NestFactory.create(AppModule);\n` },
      'more than one',
    ],
    [
      'starts a module that is made',
      { 'src/main.ts': MAIN.replace('(AppModule)', '(AppModule.with())') },
      'has no `const app',
    ],
    [
      'imports a root module that does not exist',
      { 'src/main.ts': MAIN.replace('./app.module', './other') },
      'AppModule',
    ],
  ])('leaves the app untouched if it %s', (_, files, problem) => {
    expect(problemOf({ ...APP, ...files })).toContain(problem);
  });
});

describe('an app that is not understood', () => {
  it('gets the lines to add by hand', () => {
    const plan = planOf(withModule(MODULE.replace('imports: []', '...meta')), { store: 'sql' });
    const lines = plan.kind === 'by hand' ? plan.lines.join('\n') : '';
    expect(lines).toContain('npm install nestjs-snowflake pg');
    expect(lines).toContain('SnowflakeModule.forRootAsync({');
    expect(lines).toContain('app.enableShutdownHooks([], { useProcessExit: true });');
    expect(lines).toContain('sql tables');
  });

  it.each([
    ['is no app', { 'package.json': undefined as unknown as string }, {}],
    ['has Nest 10', { 'package.json': MANIFEST.replaceAll('^11.1.10', '^10.4.0') }, {}],
    ['has no such project', {}, { project: 'mail' }],
  ])('gets no lines if it %s, because they would not help', (_, files, request) => {
    expect(planOf({ ...APP, ...files }, request)).toMatchObject({ kind: 'by hand', lines: [] });
  });

  it.each([
    ['has no package.json', { 'package.json': undefined as unknown as string }, 'no package.json'],
    ['has a broken package.json', { 'package.json': '{' }, 'not valid JSON'],
    ['has no Nest', { 'package.json': '{}' }, '@nestjs/core'],
    ['has Nest 10', { 'package.json': MANIFEST.replaceAll('^11.1.10', '^10.4.0') }, 'Nest 10'],
    ['has another module at the place', { 'src/ids/ids.module.ts': 'export class X {}\n' }, 'exists'],
    ['has another IdsModule', { 'src/app.module.ts': `${MODULE}class IdsModule {}\n` }, 'another IdsModule'],
  ])('is left untouched if it %s', (_, files, problem) => {
    expect(problemOf({ ...APP, ...files })).toContain(problem);
  });
});

describe('NODE_ENV of start:dev', () => {
  const scriptAfter = (script: string, packages: Files = {}) =>
    JSON.parse(
      setUp(
        withPackages(packages, { ...APP, 'package.json': MANIFEST.replace('nest start --watch', script) }),
      )['package.json']!,
    ).scripts['start:dev'];

  it.each([
    ['nest start --watch', 'NODE_ENV=development nest start --watch'],
    ['npm run up && nest start -w', 'npm run up && NODE_ENV=development nest start -w'],
    ['NODE_ENV=local nest start -w', 'NODE_ENV=local nest start -w'],
    ['tsx watch src/main.ts', 'tsx watch src/main.ts'],
  ])('turns `%s` into `%s`', (before, after) => {
    expect(scriptAfter(before)).toBe(after);
  });

  it('is set by cross-env if the app has it', () => {
    const packages = { 'cross-env': '^10.0.0' };
    expect(scriptAfter('nest start -w', packages)).toBe('cross-env NODE_ENV=development nest start -w');
    expect(scriptAfter('cross-env A=1 nest start -w', packages)).toBe(
      'cross-env A=1 NODE_ENV=development nest start -w',
    );
  });

  it('is left to the user on Windows, whose shell has no such syntax', () => {
    const plan = planOf(APP, {}, { ...SURROUNDINGS, isWindows: true }) as SetupPlan;
    expect(plan.changes.find(({ path }) => path === 'package.json')?.after).not.toContain('NODE_ENV');
    expect(plan.next.join('\n')).toContain('NODE_ENV=development');
  });
});

describe('an app in a workspace', () => {
  const WORKSPACE: Files = {
    'package.json': MANIFEST,
    'nest-cli.json': JSON.stringify({
      monorepo: true,
      root: 'apps/shop',
      sourceRoot: 'apps/shop/src',
      projects: {
        shop: { type: 'application', root: 'apps/shop', entryFile: 'main', sourceRoot: 'apps/shop/src' },
        mail: { type: 'application', root: 'apps/mail', entryFile: 'start', sourceRoot: 'apps/mail/src' },
        kit: { type: 'library', root: 'libs/kit', entryFile: 'index', sourceRoot: 'libs/kit/src' },
      },
    }),
    'apps/shop/src/main.ts': MAIN,
    'apps/shop/src/app.module.ts': MODULE,
    'apps/mail/src/start.ts': MAIN.replaceAll('AppModule', 'MailModule').replace(
      './app.module',
      './mail/mail.module',
    ),
    'apps/mail/src/mail/mail.module.ts': MODULE.replace('AppModule', 'MailModule'),
  };

  it('is the one that nest start starts, unless a project is named', () => {
    const after = setUp(WORKSPACE, { store: 'redis' });
    expect(after['apps/shop/src/ids/ids.module.ts']).toContain("namespace: 'shop'");
    expect(after['apps/mail/src/start.ts']).toBe(WORKSPACE['apps/mail/src/start.ts']);
  });

  it('has its own entry file and folder', () => {
    const after = setUp(WORKSPACE, { store: 'redis', project: 'mail' });
    expect(after['apps/mail/src/ids/ids.module.ts']).toContain("namespace: 'mail'");
    expect(after['apps/mail/src/mail/mail.module.ts']).toContain("from '../ids/ids.module';");
    expect(after['apps/shop/src/main.ts']).toBe(MAIN);
  });

  it.each([
    ['none', 'no project none. It has: shop, mail, kit'],
    ['kit', 'is a library'],
  ])('is not guessed for the project %s', (project, problem) => {
    expect(problemOf(WORKSPACE, { project })).toContain(problem);
  });
});

describe('an app with TypeORM', () => {
  const typeOrmApp = (options: string, more: Files = {}): Files =>
    withPackages(
      { '@nestjs/typeorm': '^11.0.0', typeorm: '^0.3.20', pg: '^8.11.0' },
      {
        ...withModule(
          MODULE.replace('imports: []', `imports: [TypeOrmModule.forRoot(${options})]`).replace(
            'import { App',
            "import { TypeOrmModule } from '@nestjs/typeorm';\nimport { App",
          ),
        ),
        ...more,
      },
    );

  it('leases on the options of its DataSource', () => {
    const after = setUp(typeOrmApp("{ type: 'postgres', url: process.env.DB, synchronize: true }"));
    expect(after['src/ids/ids.module.ts']).toBe(`import { Module } from '@nestjs/common';
import { SnowflakeModule } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { DataSource } from 'typeorm';

@Module({
  imports: [
    SnowflakeModule.forRootAsync({
      inject: [DataSource],
      useFactory: (dataSource: DataSource) => ({
        epoch: '2024-01-01T00:00:00Z', // never change it later
        store: sqlLeaseStore({
          dataSource,
          namespace: 'shop',
          createTable: true, // in production, use a migration
        }),
      }),
    }),
  ],
})
export class IdsModule {}
`);
    expect(after['.env.example']).toBeUndefined();
  });

  it('gets the migration wherever it lists its migrations', () => {
    const dataSource = `import { DataSource } from 'typeorm';

export default new DataSource({
  type: 'postgres',
  migrations: ['dist/migrations/*.js'],
});
`;
    const files = typeOrmApp("{ type: 'postgres', migrations: [Init1], migrationsRun: true }", {
      'src/db/data-source.ts': dataSource,
    });
    const after = setUp(files);
    expect(after['src/db/data-source.ts']).toBe(`import { DataSource } from 'typeorm';
import { CreateSnowflakeLeaseTables1767225600000 } from 'nestjs-snowflake/typeorm';

export default new DataSource({
  type: 'postgres',
  migrations: [CreateSnowflakeLeaseTables1767225600000, 'dist/migrations/*.js'],
});
`);
    expect(after['src/app.module.ts']).toContain(
      'migrations: [CreateSnowflakeLeaseTables1767225600000, Init1]',
    );
    expect(after['src/ids/ids.module.ts']).not.toContain('createTable');
  });

  it('gets the migration where a variable holds the list', () => {
    const config = `import type { TypeOrmModuleOptions } from '@nestjs/typeorm';

export function options(): TypeOrmModuleOptions {
  const migrations = ['dist/migrations/*.js'];
  return { type: 'postgres', migrations, migrationsRun: true };
}
`;
    const after = setUp(typeOrmApp('options()', { 'src/options.ts': config }));
    expect(after['src/options.ts']).toContain(
      'migrations: [CreateSnowflakeLeaseTables1767225600000, ...migrations], migrationsRun',
    );
  });

  it('creates the tables at boot if it lists paths of migrations, and has none', () => {
    const files = typeOrmApp("{ type: 'postgres', migrations: ['dist/migrations/*.js'] }");
    expect(setUp(files)['src/ids/ids.module.ts']).toContain('createTable: true');
    const migration =
      "import { MigrationInterface } from 'typeorm';\nexport class Init1 implements MigrationInterface {}\n";
    const migrating = setUp({ ...files, 'src/migrations/1-init.ts': migration });
    expect(migrating['src/app.module.ts']).toContain('[CreateSnowflakeLeaseTables1767225600000, ');
    expect(migrating['src/ids/ids.module.ts']).not.toContain('createTable');
  });

  it.each([
    ['a type that the store does not know', "{ type: 'mongodb' }", 'mongodb'],
    ['a database in memory', "{ type: 'better-sqlite3', database: ':memory:' }", 'in memory'],
    ['only named DataSources', "{ type: 'postgres', name: 'orders' }", 'have names'],
  ])('is refused the store SQL if it has %s', (_, options, problem) => {
    expect(problemOf(typeOrmApp(options), { store: 'sql' })).toContain(problem);
    expect(setUp(typeOrmApp(options))['src/ids/ids.module.ts']).toContain('memoryLeaseStore');
  });

  describe('and an entity', () => {
    const ENTITY = `import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity()
export class Order {
  @PrimaryGeneratedColumn()
  id: number;

  @Column()
  item: string;
}
`;
    const withEntity = (entity: string) =>
      typeOrmApp("{ type: 'postgres' }", { 'src/order.entity.ts': entity });

    it('keeps it unless asked', () => {
      expect(setUp(withEntity(ENTITY))['src/order.entity.ts']).toBe(ENTITY);
    });

    it('changes its key when asked', () => {
      expect(setUp(withEntity(ENTITY), { entity: 'Order' })['src/order.entity.ts'])
        .toBe(`import { Column, Entity } from 'typeorm';
import { SnowflakeId } from 'nestjs-snowflake/typeorm';

@Entity()
export class Order {
  @SnowflakeId()
  id: string;

  @Column()
  item: string;
}
`);
    });

    it.each([
      ["@PrimaryGeneratedColumn('uuid') id!: string;", '@SnowflakeId() id!: string;'],
      [
        "@PrimaryColumn({ type: 'bigint', name: 'order_id' }) id!: string;",
        "@SnowflakeId({ name: 'order_id' }) id!: string;",
      ],
      [
        "@PrimaryGeneratedColumn('increment', { type: 'int' }) readonly id: number;",
        '@SnowflakeId() readonly id: string;',
      ],
    ])('turns %s into %s', (before, expected) => {
      const entity = ENTITY.replace('@PrimaryGeneratedColumn()\n  id: number;', before).replace(
        '{ Column, Entity, PrimaryGeneratedColumn }',
        '{ Column, Entity, PrimaryColumn, PrimaryGeneratedColumn }',
      );
      expect(setUp(withEntity(entity), { entity: 'Order' })['src/order.entity.ts']).toContain(expected);
    });

    it.each([
      ['does not exist', ENTITY.replace('class Order', 'class Other'), 'no TypeORM entity Order'],
      [
        'has a key of two columns',
        ENTITY.replace('@Column()', '@PrimaryColumn()').replace('Entity,', 'Entity, PrimaryColumn,'),
        'several columns',
      ],
      [
        'has a key with an option of its own',
        ENTITY.replace('Column()\n  id', 'Column({ transformer: t })\n  id'),
        'options',
      ],
      ['has a key of another type', ENTITY.replace('id: number', 'id: OrderId'), 'neither number nor string'],
    ])('leaves the app untouched if the entity %s', (_, entity, problem) => {
      expect(problemOf(withEntity(entity), { entity: 'Order' })).toContain(problem);
    });
  });
});

describe('an app with Prisma', () => {
  const prismaApp = (schema: string, more: Files = {}) =>
    withPackages({ '@prisma/client': '^7.0.0' }, { ...APP, 'prisma/schema.prisma': schema, ...more });
  const POSTGRES = `generator client {
  provider = "prisma-client"
}

datasource db {
  provider = "postgresql"
  url      = env("SHOP_DATABASE")
}
`;

  it('leases in a schema that Prisma does not see, made by a migration of Prisma', () => {
    const after = setUp(prismaApp(POSTGRES, { 'prisma/migrations/20250101000000_init/migration.sql': '' }));
    expect(after['src/ids/ids.module.ts']).toContain(`          url: process.env.SHOP_DATABASE,
          schema: 'snowflake',
`);
    const migration = after['prisma/migrations/20260102030405_snowflake_lease_tables/migration.sql'];
    expect(migration).toMatch(
      /^CREATE SCHEMA IF NOT EXISTS snowflake;\nCREATE TABLE IF NOT EXISTS "snowflake"\."snowflake_lease_namespace"/,
    );
    expect(after['package.json']).toContain('"pg"');
  });

  it('keeps its models if it is asked to change one, and says what to do with the schema', () => {
    const plan = planOf(prismaApp(POSTGRES), { entity: 'Order' });
    const next = plan.kind === 'plan' ? plan.next.join('\n') : '';
    expect(next).toContain('@default(dbgenerated())');
    expect(next).toContain('bigintsAsText(app)');
    expect(next).not.toContain('sql widen');
  });

  it('names the generator and the extension that give rows IDs', () => {
    const plan = planOf(prismaApp(POSTGRES));
    const next = plan.kind === 'plan' ? plan.next.join('\n') : '';
    expect(next).toContain('nestjs-snowflake-prisma');
    expect(next).toContain('snowflakeIds()');
    expect(next).toContain('nestjs-snowflake-cli init');
  });

  it('gets plain SQL if it pushes its schema without migrations', () => {
    expect(setUp(prismaApp(POSTGRES))['prisma/snowflake_lease_tables.sql']).toContain('CREATE SCHEMA');
  });

  it('has the name of its URL in the file of Prisma 7, and its schema in a folder', () => {
    const schema = POSTGRES.replace(/ {2}url.*\n/, '');
    const config = "export default defineConfig({ datasource: { url: env('PG_URL') } });\n";
    const files = prismaApp('', { 'prisma/schema/main.prisma': schema, 'prisma.config.ts': config });
    const after = setUp({ ...files, 'prisma/schema.prisma': undefined as unknown as string });
    expect(after['src/ids/ids.module.ts']).toContain('process.env.PG_URL');
    expect(after['prisma/snowflake_lease_tables.sql']).toBeDefined();
  });

  it('leases in a file of its own on SQLite', () => {
    const after = setUp(prismaApp(POSTGRES.replace('postgresql', 'sqlite')));
    expect(after['src/ids/ids.module.ts']).toContain("url: 'sqlite:snowflake-leases.sqlite',");
  });

  it('is refused the store SQL on MySQL, where Prisma would drop the tables', () => {
    const files = prismaApp(POSTGRES.replace('postgresql', 'mysql'));
    expect(problemOf(files, { store: 'sql' })).toContain('Prisma');
    expect(setUp(withPackages({ ioredis: '5' }, files))['src/ids/ids.module.ts']).toContain(
      'redisLeaseStore',
    );
  });
});
