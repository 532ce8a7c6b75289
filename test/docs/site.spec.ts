import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { anchorOf, filesUrl, repositoryLink } from '../../site/repository.js';
import { missingPages, sidebarOf } from '../../site/sidebar.js';
import { MarkdownPage, ROOT } from './markdown.js';
import { DOCS, PAGES } from './pages.js';

const docs = join(ROOT, 'docs');
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-site-'));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe('links of the site', () => {
  it.each([
    ['guides/typeorm.md', '../../apps/orders/src/main.ts', 'apps/orders/src/main.ts'],
    ['guides/typeorm.md', '../../apps/orders', 'apps/orders'],
    ['index.md', '../README.md#install', 'README.md#install'],
    ['explanation/benchmarks.md', '../bench/ids.json', 'docs/bench/ids.json'],
  ])('the link of %s to %s leads to the repository', (page, href, path) => {
    expect(repositoryLink(page, href)).toBe(`${filesUrl}${path}`);
  });

  it.each([
    'redis.md',
    '../stores/redis.md#rights',
    '#rights',
    'https://a.test/b',
    '/stores/redis',
    '../../../x',
  ])('a link to %s stays as it is', (href) => {
    expect(repositoryLink('guides/typeorm.md', href)).toBeUndefined();
  });

  it('headings have the anchors of GitHub', () => {
    const headings = PAGES.flatMap((path) => {
      const page = MarkdownPage.read(path);
      return page.headings.map((heading, at) => [anchorOf(heading), page.anchors[at]]);
    });
    expect(headings.length).toBeGreaterThan(50);
    expect(headings.filter(([ours, theirs]) => ours !== theirs)).toEqual([]);
  });
});

describe('the sidebar', () => {
  it('names only pages that exist', () => {
    expect(missingPages(docs)).toEqual([]);
  });

  it('shows every page', () => {
    const links = sidebarOf(docs).flatMap(({ items = [] }) => items.map(({ link }) => `docs${link}.md`));
    const pages = DOCS.filter((path) => path !== 'docs/index.md');
    expect(pages.filter((path) => !links.includes(path))).toEqual([]);
  });

  it('shows a page that it does not name under its title, after those of its folder', () => {
    const folder = folderWith({ 'stores/sql.md': '# SQL stores\n', 'stores/zoo.md': '# The `zoo`\n' });
    expect(sidebarOf(folder)).toEqual([
      {
        text: 'Stores',
        items: [
          { text: 'SQL', link: '/stores/sql' },
          { text: 'The zoo', link: '/stores/zoo' },
        ],
      },
    ]);
    expect(missingPages(folder)).toContain('docs/stores/redis.md');
  });
});
