import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** A page by its path below `docs/`, without `.md`, and its name in the sidebar. */
type Entry = readonly [page: string, text: string];

export interface Section {
  readonly text: string;
  readonly pages: readonly Entry[];
}

export const SECTIONS: readonly Section[] = [
  { text: 'Getting started', pages: [['getting-started', 'Your first IDs']] },
  {
    text: 'Guides',
    pages: [
      ['guides/typeorm', 'TypeORM'],
      ['guides/document-numbers', 'Document numbers'],
      ['guides/json-and-frontends', 'JSON and frontends'],
      ['guides/validation-and-http', 'Validation and HTTP'],
      ['guides/validation-with-schemas', 'Validation with schemas'],
      ['guides/graphql', 'GraphQL'],
      ['guides/testing', 'Testing'],
      ['guides/console', 'Console'],
      ['guides/migrations', 'Migrations'],
      ['guides/several-instances', 'Several instances'],
      ['guides/shutdown', 'Shutdown'],
      ['guides/migrating-from-auto-increment', 'Migrate from auto-increment'],
      ['guides/migrating-from-uuid', 'Migrate from UUID'],
      ['guides/migrating-from-uuid-mariadb', 'UUID on MariaDB'],
      ['guides/migrating-online', 'Migrate a large table'],
      ['guides/coming-from', 'Coming from another library'],
      ['guides/kubernetes', 'Kubernetes'],
      ['guides/pm2-and-cluster', 'PM2 and cluster'],
      ['guides/serverless', 'Serverless'],
      ['guides/other-orms', 'Other ORMs'],
      ['guides/multi-region', 'Several regions'],
      ['guides/sharding', 'Sharding'],
      ['guides/segments', 'Segments'],
    ],
  },
  {
    text: 'Stores',
    pages: [
      ['stores/redis', 'Redis'],
      ['stores/managed-redis', 'Managed Redis'],
      ['stores/sql', 'SQL'],
      ['stores/fixed-worker-ids', 'Fixed worker IDs'],
      ['stores/local-window', 'Local window'],
      ['stores/your-own', 'Your own store'],
    ],
  },
  {
    text: 'Operations',
    pages: [
      ['operations/production-checklist', 'Production checklist'],
      ['operations/doctor', 'Doctor'],
      ['operations/failure-modes', 'Failure modes'],
      ['operations/monitoring', 'Monitoring'],
      ['operations/metrics', 'Metrics'],
      ['operations/troubleshooting', 'Troubleshooting'],
      ['operations/upgrading', 'Upgrading'],
      ['operations/restoring-a-backup', 'Restoring a backup'],
      ['operations/redis-registry', 'Stored data'],
    ],
  },
  {
    text: 'Reference',
    pages: [
      ['reference/options', 'Options'],
      ['reference/errors', 'Errors'],
      ['reference/events', 'Events'],
      ['reference/id-maker', 'ID maker'],
      ['reference/layouts', 'Layouts'],
      ['reference/codecs', 'Codecs'],
      ['reference/cli', 'Command line'],
      ['reference/glossary', 'Glossary'],
    ],
  },
  {
    text: 'Explanation',
    pages: [
      ['explanation/how-it-works', 'How it works'],
      ['explanation/clock-rollback', 'Clock rollback'],
      ['explanation/design-decisions', 'Design decisions'],
      ['explanation/safety', 'Safety'],
      ['explanation/safety-proof', 'Proof of safety'],
      ['explanation/safety-stores', 'Safety of the stores'],
      ['explanation/promises', 'Promises and their tests'],
      ['explanation/benchmarks', 'Benchmarks'],
    ],
  },
];

export interface SidebarItem {
  text: string;
  link?: string;
  items?: SidebarItem[];
  collapsed?: boolean;
}

/** Returns the sidebar of the pages that exist. A page without an entry follows those of its folder, under its title. */
export function sidebarOf(docs: string): SidebarItem[] {
  const listed = new Set(SECTIONS.flatMap(({ pages }) => pages.map(([page]) => page)));
  return SECTIONS.map(({ text, pages }) => {
    const folder = posix.dirname(pages[0]?.[0] ?? '.');
    const others = pagesIn(docs, folder).filter((page) => !listed.has(page) && page !== 'index');
    const entries = [...pages, ...others.map((page): Entry => [page, titleOf(docs, page)])];
    const items: SidebarItem[] = entries
      .filter(([page]) => existsSync(`${docs}/${page}.md`))
      .map(([page, name]) => ({ text: name, link: `/${page}` }));
    return { text, items: text === 'Reference' ? [...items, ...apiItems(docs)] : items };
  }).filter(({ items }) => items.length > 0);
}

/** Returns the pages that the sidebar names and that don't exist. */
export function missingPages(docs: string): string[] {
  return SECTIONS.flatMap(({ pages }) => pages)
    .filter(([page]) => !existsSync(`${docs}/${page}.md`))
    .map(([page]) => `docs/${page}.md`);
}

function pagesIn(docs: string, folder: string): string[] {
  if (!existsSync(`${docs}/${folder}`)) return [];
  return readdirSync(`${docs}/${folder}`)
    .filter((file) => file.endsWith('.md'))
    .map((file) => posix.join(folder, file.slice(0, -'.md'.length)))
    .sort();
}

function titleOf(docs: string, page: string): string {
  const [, title = page] = /^# (.+)$/m.exec(readFileSync(`${docs}/${page}.md`, 'utf8')) ?? [];
  return title.replaceAll('`', '');
}

/** One page for each entry point of the packages, as TypeDoc writes them. */
function apiItems(docs: string): SidebarItem[] {
  const api = `${docs}/reference/api`;
  const items = (existsSync(api) ? readdirSync(api, { recursive: true, encoding: 'utf8' }) : [])
    .filter((file) => file.endsWith('/index.md'))
    .map((file) => posix.dirname(file))
    .sort()
    .map((entryPoint) => ({ text: entryPoint, link: `/reference/api/${entryPoint}/` }));
  return items.length > 0 ? [{ text: 'API', collapsed: true, link: '/reference/api/', items }] : [];
}
