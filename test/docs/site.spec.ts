import { join } from 'node:path';
import { anchorOf, repositoryFile } from '../../site/repository.js';
import { sidebarOf } from '../../site/sidebar.js';
import { MarkdownPage, ROOT } from './markdown.js';
import { DOCS, PAGES } from './pages.js';

const docs = join(ROOT, 'docs');

describe('links of the site', () => {
  it.each([
    ['guides/typeorm.md', '../../apps/orders/src/main.ts', 'apps/orders/src/main.ts'],
    ['guides/typeorm.md', '../../apps/orders', 'apps/orders'],
    ['index.md', '../README.md#guarantees', 'README.md#guarantees'],
    ['explanation/benchmarks.md', '../bench/ids.json', 'docs/bench/ids.json'],
  ])('the link of %s to %s leads to the repository', (page, href, path) => {
    expect(repositoryFile(page, href)).toBe(path);
  });

  it.each([
    'redis.md',
    '../stores/redis.md#rights',
    '#rights',
    'https://a.test/b',
    '/stores/redis',
    '../../../x',
  ])('a link to %s stays as it is', (href) => {
    expect(repositoryFile('guides/typeorm.md', href)).toBeUndefined();
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
  it('shows every page, each once', () => {
    const links = sidebarOf(docs).flatMap(({ items = [] }) => items.flatMap(({ link }) => `docs${link}.md`));
    const pages = links.filter((link) => !link.includes('/api/'));
    expect(pages.toSorted()).toEqual(DOCS.filter((path) => path !== 'docs/index.md'));
  });
});
