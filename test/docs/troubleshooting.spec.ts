import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeIn, MarkdownPage, ROOT } from './markdown.js';

const page = MarkdownPage.read('docs/operations/troubleshooting.md');

/** Every code that the library declares. */
function declaredCodes(): string[] {
  const source = readFileSync(join(ROOT, 'libs/snowflake/src/core/errors/snowflake-error.ts'), 'utf8');
  return [...source.matchAll(/^ {2}\| '(SNOWFLAKE_\w+)'/gm)].map(([, code = '']) => code);
}

describe('the page on troubleshooting', () => {
  it('has a row for every error code, and for no other', () => {
    const rows = page.tablesUnder('By error code').flatMap((table) => table.rows);
    const codes = rows.flatMap(([code = '']) => codeIn(code));
    expect(declaredCodes().length).toBeGreaterThan(20);
    expect(codes.sort()).toEqual(declaredCodes().sort());
  });
});
