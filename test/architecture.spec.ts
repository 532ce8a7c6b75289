import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSources, unusedPermissions, type Source } from './support/architecture/check.js';
import { foreignWrites, unusedWritePermits } from './support/architecture/foreign-writes.js';
import { mutableState } from './support/architecture/mutable-state.js';
import { CONSOLE, PERMITTED_WRITES } from './support/architecture/rules.js';
import { readSourceFacts } from './support/architecture/source-facts.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

function sourcesIn(folder: string, names = /(?<!\.spec)\.ts$/): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && names.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(ROOT, file).replaceAll(sep, '/'), text: readFileSync(file, 'utf8') }));
}

describe('the architecture [promise: exact-keys]', () => {
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
});
