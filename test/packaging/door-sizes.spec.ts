import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest } from './packed-library.js';

const LIBRARY = fileURLToPath(new URL('../../libs/snowflake', import.meta.url));
const MOST_LINES = 250;

/** The ID maker itself, its stores, what writes IDs, the other kinds of numbers, and the contract of stores. */
const NOT_LIMITED = [
  'core',
  'standalone',
  'codecs',
  'obfuscation',
  'redis',
  'sql',
  'typeorm',
  'segments',
  'series',
  'store-testing',
];

/** Lines of a door's own folder: all of them, with blank lines, imports and TSDoc, but without specs. */
function linesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8').trimEnd().split('\n').length)
    .reduce((sum, lines) => sum + lines, 0);
}

/** The folders behind the entry points of the manifest, by the name of the entry point. */
function folders(): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8')) as Manifest;
  return new Map(
    Object.entries(exports).flatMap(([key, to]) => {
      const built =
        typeof to === 'string' ? undefined : /^\.\/dist\/esm\/(.+\/index)\.js$/.exec(to.module)?.[1];
      return built === undefined ? [] : [[key.slice(2), join(LIBRARY, 'src', dirname(built))] as const];
    }),
  );
}

const additions = [...folders()].filter(([name]) => !NOT_LIMITED.includes(name));

describe('an addition to an app', () => {
  it.each(additions)(`is small: nestjs-snowflake/%s has at most ${MOST_LINES} lines`, (_name, folder) => {
    expect(linesIn(folder)).toBeLessThanOrEqual(MOST_LINES);
  });

  it('is seen when it is larger (control)', () => {
    expect(additions.map(([name]) => name)).toEqual(expect.arrayContaining(['http', 'testing']));
    expect(linesIn(folders().get('typeorm')!)).toBeGreaterThan(MOST_LINES);
  });
});
