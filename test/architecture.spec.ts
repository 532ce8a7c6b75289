import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSources, foreignToApps, resolved } from './support/architecture/check.js';
import { foreignWrites } from './support/architecture/foreign-writes.js';
import { mutableState } from './support/architecture/mutable-state.js';
import { PACKAGES } from './support/architecture/rules.js';
import { checked, importsIn, pathOf, ROOT } from './support/architecture/sources.js';

const LIBS = join(ROOT, 'libs');

interface Manifest {
  readonly name: string;
  readonly dependencies?: object;
  readonly peerDependencies?: object;
}

describe('the architecture [promise: exact-keys]', () => {
  const { checker, sources } = checked(...PACKAGES.map(({ root }) => root.replace(/\/$/, '')));

  it.each(PACKAGES)('holds in $root: layers, entry points and clocks', (rules) => {
    const own = sources.filter((source) => pathOf(source).startsWith(rules.root));
    expect(own.length).toBeGreaterThan(10);
    expect(checkSources(own, rules)).toEqual([]);
  });

  it.each(readdirSync(LIBS))('lets libs/%s import nothing but what its package.json names', (folder) => {
    const manifest = JSON.parse(readFileSync(join(LIBS, folder, 'package.json'), 'utf8')) as Manifest;
    const { name, dependencies, peerDependencies } = manifest;
    const named = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })]);
    const imported = importsIn(`libs/${folder}/src`)
      .flatMap(({ imports }) => imports)
      .filter((specifier) => !/^(\.|#|node:)/.test(specifier));
    const packages = imported.map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
    expect([...new Set(packages)].filter((each) => !named.has(each))).toEqual([]);
  });

  it('lets the page of the console import nothing but what runs in browsers', () => {
    const page = importsIn('libs/snowflake-console/page/src');
    expect(page.length).toBeGreaterThan(50);
    const targets = page.flatMap(({ path, imports }) =>
      imports.map((specifier) => resolved(path, specifier)),
    );
    const outside = targets.filter((target) => !target.startsWith('libs/snowflake-console/page/'));
    expect([...new Set(outside)].toSorted()).toEqual([
      '@preact/signals',
      'libs/snowflake-console/src/api/console-api.js',
      'nestjs-snowflake/codecs',
      'nestjs-snowflake/core',
      'preact',
      'preact/hooks',
    ]);
  });

  it('lets the apps import nothing but entry points of the library', () => {
    const apps = importsIn('apps').filter(({ path }) => path.split('/')[2] === 'src');
    expect(apps.length).toBeGreaterThan(5);
    expect(apps.flatMap(foreignToApps)).toEqual([]);
  });

  it('lets no source change a class or an object of another package, with two exceptions', () => {
    expect(foreignWrites(checker, sources)).toEqual([
      // Where a subscriber joins an initialized DataSource, by Nest's documentation of TypeORM.
      'libs/snowflake/src/typeorm/attach.ts: dataSource.subscribers',
      // A response of Node has no other way to set its status.
      'libs/snowflake-console/src/http/node-http.ts: response.statusCode',
    ]);
  });

  it('keeps state in objects, with five variables of modules as exceptions', () => {
    expect(mutableState(sources)).toEqual([
      'libs/snowflake/src/core/process-memory.ts: memories',
      // What the decorators have declared, as in TypeORM and Nest.
      'libs/snowflake/src/kit/database-adapters.ts: adapters',
      'libs/snowflake/src/typeorm/attached-sources.ts: attached',
      'libs/snowflake/src/typeorm/declared-columns.ts: declared',
      'libs/snowflake-series/src/columns/series-columns.ts: declared',
    ]);
  });
});
