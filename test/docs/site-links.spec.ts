import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NAMED_PAGES } from '../../libs/snowflake/src/core/see-docs.js';
import { ROOT } from './markdown.js';
import { pagePath } from './pages.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const SOURCES = readdirSync(join(ROOT, 'libs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /^[\w-]+\/src\/.*\.ts$/.test(path) && !path.endsWith('.spec.ts'))
  .map((path) => `libs/${path}`);

const titles: Readonly<Record<string, string>> = NAMED_PAGES;

/** The pages that a source names by their titles, written out in TSDoc or passed to `seeDocs()` for a message. */
function pagesNamedIn(source: string): string[] {
  const written = [...source.matchAll(/"([^"$]+)" in the\s+(?:\* )?documentation/g)].map(
    ([, name = '']) => name,
  );
  const passed = [...source.matchAll(/seeDocs\('([^']+)'(?:, '([^']+)')?\)/g)].map(([, page = '', heading]) =>
    heading === undefined ? `${titles[page]}` : `${titles[page]}: ${heading}`,
  );
  return [...written, ...passed];
}

const isUnknown = (name: string): boolean => pagePath(name) === undefined;

describe('the pages that messages and TSDoc name', () => {
  it('exist, with the headings that are named', () => {
    const named = SOURCES.flatMap((path) => pagesNamedIn(read(path)));
    expect(named).toContain('The lease store is unreachable');
    expect(named.filter(isUnknown)).toEqual([]);
  });

  it('have the titles that messages show', () => {
    const paths = Object.values(NAMED_PAGES).map(pagePath);
    expect(paths).toEqual(Object.keys(NAMED_PAGES).map((page) => `docs/${page}.md`));
  });

  it('are not named by a path of the repository, which packages lack', () => {
    expect(SOURCES.filter((path) => /\bdocs\/[\w/-]+\.md\b/.test(read(path)))).toEqual([]);
  });

  it('a page or heading that does not exist is found (control)', () => {
    const text = `"Doctor" in the documentation; "Gone" in the\n * documentation; seeDocs('stores/redis', 'Gone')`;
    expect(pagesNamedIn(text).map(isUnknown)).toEqual([false, true, true]);
  });
});
