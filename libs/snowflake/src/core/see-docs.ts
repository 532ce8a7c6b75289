/** Where the documentation is published, such as 'https://docs.example.com/'. `npm run release:version` sets it. */
const DOCS_SITE: string | undefined = undefined;

/** The pages that messages name: path below `docs/`, and title. */
export const NAMED_PAGES = {
  'guides/backfill': 'Backfill IDs',
  'guides/deploy': 'Deploy',
  'guides/migrating-from-auto-increment': 'Migrate from auto-increment',
  'guides/other-orms': 'Other ORMs',
  'guides/prisma': 'Prisma',
  'operations/problems': 'Problems',
  'operations/restoring-a-backup': 'Restoring a backup',
  'operations/store-unreachable': 'The lease store is unreachable',
  'operations/upgrading': 'Upgrading',
  'reference/layouts': 'Layouts',
  'reference/series': 'Series',
  'stores/etcd-and-zookeeper': 'etcd and ZooKeeper',
  'stores/redis': 'Redis',
  'stores/sql': 'SQL',
} as const;

export type NamedPage = keyof typeof NAMED_PAGES;

/**
 * Returns the sentence of a message that refers to the documentation, because packages don't contain its pages. It names the page by its
 * title, and its address once the documentation is published.
 *
 * @param heading a heading of the page, as it is written
 */
export function seeDocs(page: NamedPage, heading?: string, site = DOCS_SITE): string {
  const title = heading === undefined ? NAMED_PAGES[page] : `${NAMED_PAGES[page]}: ${heading}`;
  const address = docsAddress(page, heading, site);
  const sentence = `See "${title}" in the documentation`;
  return address === undefined ? `${sentence}.` : `${sentence}: ${address}`;
}

/** Returns the address of a page once the documentation is published. */
export function docsAddress(page: NamedPage, heading?: string, site = DOCS_SITE): string | undefined {
  if (site === undefined) return undefined;
  const anchor = heading === undefined ? '' : `#${heading.toLowerCase().replaceAll(' ', '-')}`;
  return `${site}${page}.html${anchor}`;
}
