import { join } from 'node:path';
import { anchorOf, linkedFile, siteLink } from '../../site/repository.js';
import { sidebarOf } from '../../site/sidebar.js';
import { ROOT } from './markdown.js';
import { DOCS } from './pages.js';

const docs = join(ROOT, 'docs');

describe('links of the site', () => {
  it.each([
    ['docs/guides/typeorm.md', '../../apps/orders/src/main.ts', 'apps/orders/src/main.ts'],
    ['docs/guides/typeorm.md', '../../apps/orders', 'apps/orders'],
    ['docs/index.md', '../README.md#guarantees', 'README.md#guarantees'],
    ['docs/explanation/benchmarks.md', '../bench/ids.json', 'docs/bench/ids.json'],
    ['libs/snowflake-cli/README.md', '../../README.md', 'README.md'],
  ])('the link of %s to %s leads to the repository', (page, href, path) => {
    expect(linkedFile(page, href)).toBe(path);
    expect(siteLink(path)).toBeUndefined();
  });

  it.each([
    ['docs/guides/typeorm.md', '../stores/redis.md#rights', '/stores/redis.md#rights'],
    ['docs/index.md', 'guides/typeorm.md', '/guides/typeorm.md'],
    ['docs/guides/console.md', '../../libs/snowflake-console/README.md', '/packages/snowflake-console.md'],
    ['libs/snowflake-service/README.md', '../../apps/id-service/README.md', '/packages/id-service.md'],
    ['apps/id-service/README.md', '../../docs/reference/cli.md', '/reference/cli.md'],
    ['site/tools/zh/decode.md', '../time.md', '/tools/time.md'],
  ])('the link of %s to %s leads to a page', (page, href, link) => {
    expect(siteLink(linkedFile(page, href) ?? '')).toBe(link);
  });

  it.each(['#rights', 'https://a.test/b', '/stores/redis', '../../../x'])(
    'a link to %s stays as it is',
    (href) => {
      expect(linkedFile('docs/guides/typeorm.md', href)).toBeUndefined();
    },
  );

  it.each([
    ['Before you go live', 'before-you-go-live'],
    ['`sqlLeaseStore()`', 'sqlleasestore'],
    ['@SnowflakeId()', 'snowflakeid'],
    ['On MariaDB, MySQL or Nest 11', 'on-mariadb-mysql-or-nest-11'],
    ['What changes: a key_name, step-by-step & more', 'what-changes-a-key_name-step-by-step--more'],
  ])('the heading %s has the anchor that GitHub gives it', (heading, anchor) => {
    expect(anchorOf(heading)).toBe(anchor);
  });
});

describe('the sidebar', () => {
  it('shows every page, each once', () => {
    const links = sidebarOf(docs).flatMap(({ items = [] }) => items.flatMap(({ link }) => `docs${link}.md`));
    const pages = links.filter((link) => !/^docs\/(reference\/api|packages)\//.test(link));
    expect(pages.toSorted()).toEqual(DOCS.filter((path) => path !== 'docs/index.md'));
  });
});
