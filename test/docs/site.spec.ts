import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BitLayout } from 'nestjs-snowflake/core';
import { keeperSettings } from '../../libs/snowflake/src/lease/index.js';
import { homeOf } from '../../site/home.js';
import { anchorOf, filesUrl, repositoryLink } from '../../site/repository.js';
import { missingPages, SECTIONS, sidebarOf } from '../../site/sidebar.js';
import { problemsOfSite } from '../../site/site-check.js';
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
  ])('of %s to %s lead to the repository', (page, href, path) => {
    expect(repositoryLink(page, href)).toBe(`${filesUrl}${path}`);
  });

  it.each([
    'redis.md',
    '../stores/redis.md#rights',
    '#rights',
    'https://a.test/b',
    '/stores/redis',
    '../../../x',
  ])('to %s stay as they are', (href) => {
    expect(repositoryLink('guides/typeorm.md', href)).toBeUndefined();
  });

  it('use the anchors of GitHub', () => {
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

  it('has the sections in the order of the tree', () => {
    expect(SECTIONS.map(({ text }) => text)).toEqual([
      'Getting started',
      'Guides',
      'Stores',
      'Operations',
      'Reference',
      'Explanation',
    ]);
  });
});

describe('the home page', () => {
  const markdown = readFileSync(join(docs, 'index.md'), 'utf8');
  const { hero, features } = homeOf(markdown);

  it('has a hero and cards in plain text, which the Markdown has, too', () => {
    expect(hero).toMatchObject({ name: 'nestjs-snowflake', text: expect.stringMatching(/\w+\.$/) });
    expect(hero.tagline).toMatch(/\w+\.$/);
    for (const { title, details, link } of features) {
      expect(`${title} ${details}`).not.toMatch(/[`*[\]<>]/);
      expect(details).toMatch(/\w\.$/);
      expect(DOCS).toContain(`docs${link}.md`);
    }
  });

  it('has the figures of the default options', () => {
    const { windowMs, reserveMs, renewEveryMs } = keeperSettings(new BitLayout(), {});
    expect(markdown.replaceAll('\n', ' ')).toContain(
      `away for ${(windowMs - reserveMs - renewEveryMs * 1.1) / 1000} seconds`,
    );
    expect(renewEveryMs).toBe(10_000);
    expect(markdown.replaceAll('\n', ' ')).toContain('asks the store once in ten seconds');
  });

  it('reads a card without a link, and no cards', () => {
    expect(homeOf('# A\n\nB\nc.\n\nD.\n\n- **E.** F\n  g.\n\n## H\n\n- **I.** J\n')).toEqual({
      hero: { name: 'A', text: 'B c.', tagline: 'D.' },
      features: [{ title: 'E', details: 'F g.' }],
    });
    expect(homeOf('# A\n\nB.\n').features).toEqual([]);
  });
});

describe('the check of the built site', () => {
  const repository = folderWith({ 'README.md': '# A\n\n## What it does\n', 'apps/orders/src/main.ts': '' });
  const check = (html: string, files: Readonly<Record<string, string>> = {}): string[] =>
    problemsOfSite({
      built: folderWith({
        'index.html': html,
        'stores/redis.html': '<h2 id="rights">Rights</h2>',
        'picture.svg': '',
        ...files,
      }),
      repository,
      filesUrl: 'https://git.test/blob/HEAD/',
    });

  it.each([
    '<a href="/stores/redis.html#rights">',
    '<a href="./stores/redis#rights">',
    '<a href="/">',
    '<a href="/picture.svg">',
    '<h1 id="a"><a class="header-anchor" href="#a"></a></h1>',
    '<a href="https://elsewhere.test/x#y">',
    '<a href="https://git.test/blob/HEAD/README.md#what-it-does">',
    '<a href="https://git.test/blob/HEAD/apps/orders">',
    '<img src="/picture.svg"><link rel="icon" href="data:image/svg+xml,x">',
    '<pre>&lt;a href="/none"></pre><script>const a = \'<a href="/none">\';</script>',
  ])('accepts %s', (html) => {
    expect(check(html)).toEqual([]);
  });

  it.each([
    ['<a href="/stores/sql.html">', "docs/stores/sql.md doesn't exist: docs/index.md"],
    ['<a href="/stores/redis.html#acl">', 'docs/stores/redis.md has no heading #acl: docs/index.md'],
    ['<a href="#acl">', 'docs/index.md has no heading #acl: docs/index.md'],
    ['<a href="/other.svg">', "docs/other.svg doesn't exist: docs/index.md"],
    ['<a href="https://git.test/blob/HEAD/apps/x">', "apps/x doesn't exist: docs/index.md"],
    ['<a href="https://git.test/blob/HEAD/README.md#x">', 'README.md has no heading #x: docs/index.md'],
    ['<script src="//cdn.test/a.js">', '<script> loads //cdn.test/a.js from another host: docs/index.md'],
    [
      '<img src="https://cdn.test/a.svg">',
      '<img> loads https://cdn.test/a.svg from another host: docs/index.md',
    ],
  ])('refuses %s', (html, problem) => {
    expect(check(html)).toEqual([problem]);
  });

  it('refuses a style that loads a font', () => {
    expect(check('', { 'a.css': '@font-face { src: url("https://fonts.test/a.woff2") }' })).toEqual([
      'a.css: loads https://fonts.test/a.woff2 from another host',
    ]);
  });

  it('names three pages with the same problem and counts the others', () => {
    const link = '<a href="/x.html">';
    expect(check(link, { 'a.html': link, 'b.html': link, 'c.html': link, 'd.html': link })).toEqual([
      "docs/x.md doesn't exist: docs/a.md, docs/b.md, docs/c.md and 2 more",
    ]);
  });
});
