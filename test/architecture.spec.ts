import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSources, unusedPermissions, type Source } from './support/architecture/check.js';
import { foreignWrites, unusedWritePermits } from './support/architecture/foreign-writes.js';
import { mutableState } from './support/architecture/mutable-state.js';
import { CONSOLE, LAYERS, PERMISSIONS, PERMITTED_WRITES } from './support/architecture/rules.js';
import { readSourceFacts } from './support/architecture/source-facts.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function sourcesIn(folder: string, names = /(?<!\.spec)\.ts$/): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && names.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(ROOT, file).replaceAll(sep, '/'), text: readFileSync(file, 'utf8') }));
}

/** The checker's word on one made-up source of the library. */
function check(file: string, ...lines: string[]): string[] {
  return checkSources([{ path: `libs/snowflake/src/${file}`, text: `${lines.join('\n')}\n` }]);
}

describe('the architecture', () => {
  const library = sourcesIn('libs/snowflake/src');

  it('holds in the library', () => {
    expect(library.length).toBeGreaterThan(20);
    expect(checkSources(library)).toEqual([]);
  });

  it('holds in the console', () => {
    const sources = sourcesIn('libs/snowflake-console/src');
    expect(sources.length).toBeGreaterThan(20);
    expect(checkSources(sources)).toEqual([]);
    expect(unusedPermissions(sources, CONSOLE)).toEqual([]);
    expect(foreignWrites(ROOT, sources)).toEqual([]);
    expect(mutableState(sources)).toEqual([]);
  });

  it('gives the page of the console nothing but what runs in browsers', () => {
    const page = sourcesIn('libs/snowflake-console/page/src', /\.tsx?$/);
    expect(page.length).toBeGreaterThan(50);
    const outside = page.flatMap(({ path, text }) =>
      readSourceFacts(path, text).imports.flatMap(({ text: specifier }) => {
        const target = specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier;
        return target.startsWith('libs/snowflake-console/page/') ? [] : [target];
      }),
    );
    expect([...new Set(outside)].toSorted()).toEqual([
      '@preact/signals',
      'libs/snowflake-console/src/api/console-api.js',
      'nestjs-snowflake/codecs',
      'nestjs-snowflake/core',
      'preact',
      'preact/hooks',
    ]);
  });

  it('stands in the apps', () => {
    const apps = sourcesIn('apps').filter(({ path }) => path.split('/')[2] === 'src');
    expect(apps.length).toBeGreaterThan(5);
    expect(checkSources(apps)).toEqual([]);
  });

  it('makes no exception without need', () => {
    expect(unusedPermissions(library)).toEqual([]);
    expect(unusedWritePermits(library)).toEqual([]);
    expect(PERMITTED_WRITES.every(({ reason }) => reason.length > 10)).toBe(true);
  });

  it('changes no class and no object of another package', () => {
    expect(foreignWrites(ROOT, library)).toEqual([]);
  });
});

describe('the state of the library', () => {
  const library = sourcesIn('libs/snowflake/src');
  /** What the decorators have declared, as in TypeORM and Nest. */
  const REGISTRIES = [
    'libs/snowflake/src/series/series-columns.ts: declared',
    'libs/snowflake/src/typeorm/column-registry.ts: declared',
  ];

  it('lies in objects, with at most two variables of modules besides the registries of decorators', () => {
    const found = mutableState(library);
    expect(found).toEqual(expect.arrayContaining(REGISTRIES));
    expect(found.filter((each) => !REGISTRIES.includes(each))).toEqual([
      'libs/snowflake/src/core/process-memory.ts: memories',
      'libs/snowflake/src/typeorm/attached-sources.ts: attached',
    ]);
  });

  it('would be seen in a module (control)', () => {
    const text = [
      'let count = 0;',
      'const known = new WeakMap<object, number>();',
      'const words = new Uint32Array(2);',
      'const cache: Record<string, number> = {};',
      'const fixed = new Map([[1, 2]]);',
      'export function note(key: object): number {',
      '  known.set(key, ++count);',
      '  words[0] = count;',
      '  cache.last = count;',
      '  return fixed.get(1)! + Math.max(...[3, 1].sort());',
      '}',
    ].join('\n');
    expect(mutableState([{ path: 'a.ts', text }])).toEqual([
      'a.ts: count',
      'a.ts: known',
      'a.ts: words',
      'a.ts: cache',
    ]);
  });
});

describe('the guard of the architecture', () => {
  it.each([
    ['core/a.ts', '../lease/index.js', 'core must not import lease'],
    ['core/a.ts', 'node:crypto', 'core must not import node:crypto'],
    ['core/errors/a.ts', '../../maker/index.js', 'core must not import maker'],
    ['lease/a.ts', '../maker/index.js', 'lease must not import maker'],
    ['lease/a.ts', '../stores/memory/index.js', 'lease must not import stores/memory'],
    ['lease/a.ts', 'rxjs', 'lease must not import rxjs'],
    ['stores/redis/a.ts', '../memory/index.js', 'stores/redis must not import stores/memory'],
    ['stores/memory/a.ts', '../redis/index.js', 'stores/memory must not import stores/redis'],
    ['stores/memory/a.ts', 'ioredis', 'stores/memory must not import ioredis'],
    ['stores/static/a.ts', '../../maker/index.js', 'stores/static must not import maker'],
    ['stores/a.ts', './redis/index.js', 'stores must not import stores/redis'],
    ['maker/a.ts', '../nest/index.js', 'maker must not import nest'],
    ['maker/a.ts', '../stores/static/index.js', 'maker must not import stores/static'],
    ['maker/a.ts', '@nestjs/common', 'maker must not import @nestjs/common'],
    ['nest/a.ts', '../typeorm/index.js', 'nest must not import typeorm'],
    ['nest/a.ts', '../stores/redis/index.js', 'nest must not import stores/redis'],
    ['nest/a.ts', 'typeorm', 'nest must not import typeorm'],
    ['nest/a.ts', 'ioredis', 'nest must not import ioredis'],
    ['typeorm/a.ts', '../lease/index.js', 'typeorm must not import lease'],
    ['typeorm/a.ts', '@nestjs/common', 'typeorm must not import @nestjs/common'],
    ['index.ts', './stores/redis/index.js', 'door must not import stores/redis'],
    ['index.ts', './typeorm/index.js', 'door must not import typeorm'],
    ['standalone.ts', './nest/index.js', 'door/standalone must not import nest'],
    ['core.ts', './lease/index.js', 'door/core must not import lease'],
    ['core/a.ts', '../../../../test/support/wait.js', 'from outside of the library'],
  ])('sees in %s an import of %s', (file, specifier, problem) => {
    for (const statement of [
      `export { x } from '${specifier}';`,
      `export * from '${specifier}';`,
      ...(!file.includes('/')
        ? []
        : [`import { x } from '${specifier}';`, `import type { X } from '${specifier}';`]),
      ...(!file.includes('/') ? [] : [`export const x = import('${specifier}');`]),
      ...(!file.includes('/') ? [] : [`export type X = import('${specifier}').X;`]),
    ]) {
      expect(check(file, '', statement)).toEqual([expect.stringContaining(problem)]);
      expect(check(file, '', statement)[0]).toContain(`${file}:2:`);
    }
  });

  it('sees imports whose target it cannot know', () => {
    expect(check('core/a.ts', "await import(['io', 'redis'].join(''));")).toHaveLength(1);
  });

  it('wants a rule for every layer', () => {
    expect(check('tracing/a.ts', 'export const x = 1;')).toEqual([
      expect.stringContaining('no rule for the layer tracing'),
    ]);
    expect(check('stores/etcd/a.ts', 'export const x = 1;')).toEqual([
      expect.stringContaining('stores/etcd'),
    ]);
  });

  it.each([
    'Date.now();',
    'const clock = { now: Date.now };',
    "Date['now']();",
    'globalThis.Date.now();',
    'const { now } = Date;',
    'const source = Math;',
    'new Date();',
    'Date();',
    'setTimeout(task, 1);',
    'globalThis.setTimeout(task, 1);',
    'const timers = { setInterval };',
    'later(setImmediate);',
    'queueMicrotask(task);',
    'Math.random();',
    'performance.now();',
    'process.hrtime.bigint();',
    'process.nextTick(task);',
    'crypto.randomUUID();',
    'Atomics.wait(cell, 0, 0, 1);',
  ])('sees the impurity %s', (statement) => {
    for (const file of ['core/a.ts', 'lease/a.ts', 'nest/a.ts', 'stores/redis/a.ts']) {
      expect(check(file, statement)).toEqual([expect.stringContaining('take a Clock instead')]);
    }
  });

  it('lets pure look-alikes pass', () => {
    expect(
      check(
        'core/a.ts',
        '// Date.now() is for the clock',
        "const text = 'setTimeout(task, 1)';",
        'const date = new Date(5);',
        'let timer: ReturnType<typeof setTimeout>;',
        'clock.setTimeout(task, 1);',
        'class Timers { setTimeout(): void {} }',
        'const start = Date.UTC(2024, 0, 1);',
        'Math.floor(1.5);',
      ),
    ).toEqual([]);
  });

  it('knows exceptions only for their file and their names', () => {
    expect(PERMISSIONS.every(({ reason }) => reason.length > 10)).toBe(true);
    expect(check('core/clock/system-clock.ts', 'export const now = () => Date.now();')).toEqual([]);
    expect(check('core/clock/system-clock.ts', 'export const x = () => Math.random();')).toHaveLength(1);
    expect(
      unusedPermissions([{ path: 'libs/snowflake/src/core/clock/system-clock.ts', text: 'Date.now();' }]),
    ).toContain('core/clock/system-clock.ts: setTimeout is allowed but not used');
  });

  it('sees a door that does more than re-export', () => {
    for (const file of ['index.ts', 'core.ts', 'standalone.ts', 'core/index.ts', 'stores/redis/index.ts']) {
      expect(check(file, 'export const x = 1;')).toEqual([expect.stringContaining('only re-exports')]);
    }
  });

  it('sees ScheduleModule, under whatever name', () => {
    expect(check('nest/a.ts', "import { ScheduleModule as Jobs } from '@nestjs/schedule';")).toEqual([
      expect.stringContaining('run twice'),
    ]);
  });

  // Put together, so that no search of the repository takes these for real ones.
  it.each([
    ['//', 'TO', 'DO', ' later'],
    ['//', ' @ts-', 'ignore'],
    ['/* oxlint', '-disable */'],
    ['// eslint', '-disable-next-line'],
  ])('sees the remark %s%s%s', (...parts) => {
    expect(check('core/a.ts', parts.join(''))).toHaveLength(1);
  });

  it.each([
    '../../../libs/snowflake/src/core/index.js',
    'nestjs-snowflake/dist/index.js',
    'nestjs-snowflake/lease',
  ])('sees an app that does not enter by a door but by %s', (specifier) => {
    const app = (target: string): Source => ({ path: 'apps/orders/src/a.ts', text: `import '${target}';\n` });
    expect(checkSources([app(specifier)])).toEqual([expect.stringContaining('no door')]);
    expect(checkSources([app('nestjs-snowflake/core'), app('./b.js'), app('@nestjs/common')])).toEqual([]);
  });

  it('sees what changes a class or an object that another package or the runtime has made', () => {
    const wrong = [
      'QueryBuilder.prototype.softDelete = softDelete;',
      '(QueryBuilder.prototype as unknown as Bag)[name] = 1;',
      'driver.preparePersistentValue = (value: unknown) => value;',
      'metadata!.getEntityIdMap = () => undefined;',
      'metadata!.columns[0]!.transformer = undefined;',
      'metadata!.columns.push(...metadata.columns);',
      'getMetadataArgsStorage().entitySubscribers.unshift();',
      'dataSource.subscribers.unshift({});',
      'Object.assign(dataSource, { name });',
      'Reflect.set(QueryBuilder.prototype, name, 1);',
      'Error.stackTraceLimit = 20;',
      'Object.defineProperty(Array.prototype, name, {});',
      'delete (globalThis as Bag).fetch;',
      'process.env.PATH = name;',
    ];
    const right = [
      'own.count++;',
      'own.list.push(name);',
      'own.map.set(name, 1);',
      'own.words[0] = 1;',
      'Object.assign(own, { name });',
      'redis.set(name, 1);',
      'const copy = { ...dataSource.options, synchronize: false };',
      'let last = driver.options;',
      'last = driver.options;',
      'Reflect.defineMetadata(name, own, DataSource);',
    ];
    const source = (path: string, statements: readonly string[]): Source => ({
      path: `libs/snowflake/src/typeorm/${path}`,
      text: [
        "import { DataSource, getMetadataArgsStorage, QueryBuilder } from 'typeorm';",
        "import type { Redis } from 'ioredis';",
        'interface Bag { [name: string]: unknown; fetch?: unknown }',
        'declare const dataSource: DataSource, redis: Redis, name: string, softDelete: never;',
        'const { driver, entityMetadatas: [metadata] } = dataSource;',
        'const own = { count: 0, list: [""], map: new Map<string, number>(), words: new Uint32Array(1) };',
        ...statements,
      ].join('\n'),
    });

    const found = foreignWrites(ROOT, [source('wrong.ts', wrong), source('right.ts', right)]);

    expect(found).toHaveLength(wrong.length);
    expect(found.map((line) => Number(/:(\d+):/.exec(line)?.[1]) - 7)).toEqual(wrong.map((_, at) => at));
    expect(found[0]).toBe(
      'libs/snowflake/src/typeorm/wrong.ts:7: QueryBuilder.prototype.softDelete changes what another package has made',
    );
  });

  it('has rules that only point downward', () => {
    const heights: Record<string, number> = {
      core: 0,
      lease: 1,
      stores: 2,
      maker: 2,
      segments: 2,
      'segments/memory': 2.5,
      'segments/protocol': 2.2,
      'segments/sql': 2.5,
      'segments/nest': 3.5,
      // All of them.
      'segments/*': 3.5,
      obfuscation: 3,
      nest: 3,
      typeorm: 3,
      http: 3,
      validation: 3,
      swagger: 3,
      graphql: 3,
      series: 3.5,
      terminus: 3,
      rxjs: 3,
      'event-emitter': 4,
      metrics: 3,
      opentelemetry: 4,
      prometheus: 4,
      testing: 4,
      cli: 4,
      'store-testing': 4,
      door: 4,
      'door/core': 4,
      'door/standalone': 4,
      'door/segments': 4,
    };
    const heightOf = (layer: string): number => heights[layer.replace(/^stores\/.*/, 'stores')] ?? NaN;
    for (const [layer, { layers }] of Object.entries(LAYERS)) {
      const sideways =
        layer.startsWith('stores/') && layer !== 'stores/protocol'
          ? ['stores', 'stores/protocol']
          : ['stores'];
      const upward = layers.filter(
        (below) => !sideways.includes(below) && !(heightOf(below) < heightOf(layer)),
      );
      expect({ layer, upward }).toEqual({ layer, upward: [] });
    }
  });
});
