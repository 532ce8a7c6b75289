import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCS_SITE, docsUrl } from '../../libs/snowflake/src/core/docs-url.js';
import { MarkdownPage, ROOT } from './markdown.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const SOURCES = readdirSync(join(ROOT, 'libs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /^[\w-]+\/src\/.*\.ts$/.test(path) && !path.endsWith('.spec.ts'))
  .map((path) => `libs/${path}`);
const RULES = 'docs/operations/alert-rules.yml';

/** The pages of the documentation that a text has the address of, written out or made by `docsUrl()`. */
function addressesIn(text: string): string[] {
  const written = text.match(/https:\/\/\S+?\.html(?:#[\w-]+)?/g) ?? [];
  const made = [...text.matchAll(/docsUrl\('([^']+)'(?:, '([^']+)')?\)/g)];
  return [
    ...written.filter((url) => url.startsWith(DOCS_SITE)),
    ...made.map(([, page = '', anchor]) => docsUrl(page, anchor)),
  ];
}

function isDead(address: string): boolean {
  const [page = '', anchor] = address.slice(DOCS_SITE.length).split('#');
  const path = `docs/${page.replace(/\.html$/, '.md')}`;
  if (!existsSync(join(ROOT, path))) return true;
  return anchor !== undefined && !MarkdownPage.read(path).anchors.includes(anchor);
}

describe('the addresses of the documentation in messages, TSDoc and alerts', () => {
  it('lead to pages and headings that exist', () => {
    const addresses = [...SOURCES, RULES].flatMap((path) => addressesIn(read(path)));
    expect(addresses).toContain(docsUrl('operations/store-unreachable'));
    expect(addresses.filter(isDead)).toEqual([]);
  });

  it('belong to one site, and name no paths of the repository', () => {
    const misplaced = (path: string): boolean => {
      const text = read(path);
      return /\bdocs\/[\w/-]+\.md\b/.test(text) || text.replaceAll(DOCS_SITE, '').includes('PLACEHOLDER');
    };
    expect([...SOURCES, RULES].filter(misplaced)).toEqual([]);
  });

  it('finds an address that leads nowhere (control)', () => {
    const text = `// ${DOCS_SITE}operations/doctor.html\ndocsUrl('operations/gone'); docsUrl('operations/doctor', 'gone')`;
    expect(addressesIn(text).map(isDead)).toEqual([false, true, true]);
  });
});
