import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { INSTALL_WITHIN_MS, PackedLibrary, type Project, USE_WITHIN_MS } from './packed-library.js';

const run = promisify(execFile);
/** The program and not its JavaScript API, so that bundles are made outside of the test runner. */
const ESBUILD = join(dirname(createRequire(import.meta.url).resolve('esbuild/package.json')), 'bin/esbuild');

const NEST = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'];
const INTERVAL = 'snowflake:lease:default';

/** An app that prints the intervals of its SchedulerRegistry, if it has one, when its lease has been renewed a few times. */
const appOf = (schedule: { imports: string; modules: string; registry: string }): string => `
  import 'reflect-metadata';
  import { Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
  import { NestFactory } from '@nestjs/core';
  import { memoryLeaseStore, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
  ${schedule.imports}

  @Injectable()
  class Orders implements OnApplicationBootstrap {
    renewals = 0;
    constructor(readonly ids: SnowflakeIdMaker) {}
    onApplicationBootstrap(): void {
      this.ids.subscribe(({ type }) => void (type === 'renewed' && this.renewals++));
    }
  }

  const store = memoryLeaseStore();
  const lease = { renewEveryMs: 20, possibleLoss: 'ignore' } as const;
  @Module({ imports: [SnowflakeModule.forRoot({ store, lease }), ${schedule.modules}], providers: [Orders] })
  class AppModule {}

  async function main(): Promise<void> {
    const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
    const orders = app.get(Orders);
    while (orders.renewals < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    const intervals = ${schedule.registry};
    await app.close();
    console.log(JSON.stringify({ intervals, isMinified: AppModule.name !== 'AppModule', state: orders.ids.status().state }));
  }
  void main();`;

const WITH_SCHEDULE = appOf({
  imports: `import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';`,
  modules: 'ScheduleModule.forRoot()',
  registry: 'app.get(SchedulerRegistry, { strict: false }).getIntervals()',
});
const WITHOUT_SCHEDULE = appOf({ imports: '', modules: '', registry: '[]' });

/** How esbuild treats packages: those of the app are part of the bundle, or stay in node_modules. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  // What Nest loads if it is there.
  'in the bundle': ['@nestjs/microservices', '@nestjs/websockets', '@nestjs/platform-express'].map(
    (name) => `--external:${name}`,
  ),
  'outside the bundle': ['--packages=external'],
};
/** CommonJS packages in a bundle of ES modules call `require`. */
const REQUIRE = `import{createRequire}from'node:module';const require=createRequire(import.meta.url);`;
const FORMATS = {
  'an ES module': {
    module: ts.ModuleKind.ESNext,
    output: 'mjs',
    options: ['--format=esm', `--banner:js=${REQUIRE}`],
  },
  CommonJS: { module: ts.ModuleKind.CommonJS, output: 'cjs', options: ['--format=cjs'] },
};

/** Compiles an app as its users do, since esbuild emits no metadata of decorators, bundles it and runs it. */
async function outputOf(
  project: Project,
  app: string,
  [format, place]: readonly [keyof typeof FORMATS, string],
): Promise<unknown> {
  const { module, output, options } = FORMATS[format];
  const { outputText } = ts.transpileModule(app, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  });
  const source = project.write(`app-${output}.${output}`, outputText);
  const bundle = join(project.folder, `bundle-${output}.${output}`);
  const minified = ['--bundle', '--minify', '--platform=node', '--log-level=warning', `--outfile=${bundle}`];
  await run(ESBUILD, [source, ...minified, ...options, ...(PLACES[place] ?? [])], {
    cwd: project.folder,
    timeout: USE_WITHIN_MS,
  });
  const { stdout } = await run(process.execPath, [bundle], { cwd: project.folder, timeout: USE_WITHIN_MS });
  return JSON.parse(stdout);
}

const BUILDS = Object.keys(FORMATS).flatMap((format) =>
  Object.keys(PLACES).map((place) => [format as keyof typeof FORMATS, place] as const),
);

let library: PackedLibrary;

beforeAll(async () => {
  library = await PackedLibrary.install();
}, INSTALL_WITHIN_MS);
afterAll(() => library?.remove());

describe.each(BUILDS)('a minified bundle of %s, with packages %s', (...build) => {
  const nameOf = (kind: string): string =>
    `bundled-${kind}-${BUILDS.findIndex((each) => each.join() === build.join())}`;

  it('registers its renewals with the SchedulerRegistry', async () => {
    const project = library.project(nameOf('scheduled'), [...NEST, '@nestjs/schedule']);
    expect(await outputOf(project, WITH_SCHEDULE, build)).toEqual({
      intervals: [INTERVAL],
      isMinified: true,
      state: 'stopped',
    });
  });

  it.each([
    ['is not installed', NEST],
    ['is installed', [...NEST, '@nestjs/schedule']],
  ])('renews its lease without ScheduleModule when @nestjs/schedule %s', async (kind, packages) => {
    const project = library.project(nameOf(kind.replaceAll(' ', '-')), packages);
    expect(await outputOf(project, WITHOUT_SCHEDULE, build)).toMatchObject({
      intervals: [],
      state: 'stopped',
    });
  });
});

it('refuses to boot when @nestjs/schedule is installed and lacks one of its own packages', async () => {
  const project = library.project('broken-schedule', NEST);
  const broken = join(project.folder, 'node_modules/@nestjs/schedule');
  mkdirSync(broken);
  writeFileSync(join(broken, 'package.json'), JSON.stringify({ name: '@nestjs/schedule', type: 'module' }));
  writeFileSync(join(broken, 'index.js'), `import 'cron';`);
  await expect(outputOf(project, WITHOUT_SCHEDULE, ['an ES module', 'outside the bundle'])).rejects.toThrow(
    /Cannot find package 'cron'/,
  );
});
