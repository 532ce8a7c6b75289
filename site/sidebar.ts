import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { ROOT, siteLink } from './repository.js';

export interface Section {
  readonly text: string;
  /** Pages by their path below `docs/`, without `.md`. The heading of a page is its name everywhere. */
  readonly pages: readonly string[];
}

/** All pages but the first, in the order in which the sidebar and `docs/index.md` list them. */
export const SECTIONS: readonly Section[] = [
  {
    text: 'Start',
    pages: [
      'getting-started',
      'guides/add-to-an-app',
      'guides/first-start',
      'guides/choose-an-id',
      'explanation/how-it-works',
      'guides/faq',
    ],
  },
  {
    text: 'Use',
    pages: [
      'guides/typeorm',
      'guides/prisma',
      'guides/other-orms',
      'guides/database-ids',
      'guides/json-and-frontends',
      'guides/validation',
      'guides/public-ids',
      'guides/testing',
      'guides/console',
    ],
  },
  {
    text: 'Other numbers',
    pages: ['guides/segments', 'guides/document-numbers', 'reference/series'],
  },
  {
    text: 'Deploy',
    pages: [
      'operations/production-checklist',
      'guides/deploy',
      'guides/kubernetes',
      'guides/several-instances',
      'operations/id-service',
    ],
  },
  {
    text: 'Migrate',
    pages: [
      'guides/migrating-from-auto-increment',
      'guides/migrating-from-uuid',
      'guides/backfill',
      'guides/coming-from',
    ],
  },
  {
    text: 'Stores',
    pages: ['stores/redis', 'stores/sql', 'stores/etcd-and-zookeeper', 'stores/fixed-worker-ids'],
  },
  {
    text: 'Operate',
    pages: [
      'operations/problems',
      'operations/store-unreachable',
      'operations/redis-failover',
      'operations/possible-duplicates',
      'operations/monitoring',
      'operations/doctor',
      'operations/restoring-a-backup',
      'operations/upgrading',
    ],
  },
  {
    text: 'Reference',
    pages: [
      'reference/options',
      'reference/store-options',
      'reference/errors',
      'reference/events',
      'reference/id-maker',
      'reference/layouts',
      'reference/cli',
    ],
  },
  {
    text: 'Internals',
    pages: [
      'explanation/safety',
      'explanation/safety-stores',
      'operations/redis-registry',
      'reference/protocol',
      'stores/your-own',
      'explanation/benchmarks',
    ],
  },
];

export interface SidebarItem {
  text: string;
  link?: string;
  items?: SidebarItem[];
  collapsed?: boolean;
}

/** The written pages by their sections. */
export function sectionsOf(docs: string): { text: string; items: SidebarItem[] }[] {
  return SECTIONS.map(({ text, pages }) => ({
    text,
    items: pages.map((page) => ({ text: titleOf(docs, page), link: `/${page}` })),
  }));
}

/** All pages. Every group but the first is closed until a reader opens it or one of its pages. */
export function sidebarOf(docs: string): SidebarItem[] {
  const groups = [...sectionsOf(docs), { text: 'Packages', items: packageItems() }];
  return groups.map(({ text, items }, at) => ({
    text,
    items: text === 'Reference' ? [...items, ...apiItems(docs)] : items,
    collapsed: at > 0,
  }));
}

/** Returns the heading of a page. */
export function titleOf(folder: string, page: string): string {
  const [, title = page] = /^# (.+)$/m.exec(readFileSync(`${folder}/${page}.md`, 'utf8')) ?? [];
  return title.replaceAll('`', '');
}

/** The README of each package and of the service to deploy. */
function packageItems(): SidebarItem[] {
  const libraries = readdirSync(`${ROOT}/libs`).sort();
  return [...libraries.map((name) => `libs/${name}/README`), 'apps/id-service/README'].flatMap((page) => {
    const link = siteLink(`${page}.md`)?.replace(/\.md$/, '');
    return link === undefined ? [] : [{ text: titleOf(ROOT, page), link }];
  });
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
