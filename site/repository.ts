import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface Manifest {
  readonly name: string;
  readonly version: string;
  /** Missing until the repository has an address. */
  readonly repository?: { readonly url: string };
  /** Address of this site. Missing until it has one. */
  readonly homepage?: string;
}

export const manifest = JSON.parse(readFileSync(`${ROOT}/libs/snowflake/package.json`, 'utf8')) as Manifest;

/** Where people read the sources: 'https://github.com/…'. */
export const repositoryUrl = manifest.repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');
export const filesUrl = repositoryUrl === undefined ? undefined : `${repositoryUrl}/blob/HEAD/`;

/** The files of the repository, from its root, that are not pages of the site. Patterns of the `srcExclude` of VitePress. */
export const NO_PAGES = [
  '*.md',
  '{bench,examples,scripts,test}/**',
  'apps/{*/*/**,orders/**}',
  'libs/{*/*/**,snowflake/README.md,snowflake-*/CHANGELOG.md}',
];

/** Returns where the site has a page: `docs/guides/typeorm.md` is `guides/typeorm.md` there. Undefined for what is no page. */
export function sitePath(file: string): string | undefined {
  if (!file.endsWith('.md')) return undefined;
  if (file === 'libs/snowflake/CHANGELOG.md') return 'changelog.md';
  const [, below, library, app] =
    /^(?:(?:docs|site)\/(.+)|libs\/(snowflake-.+)\/README\.md|apps\/(id-service)\/README\.md)$/.exec(file) ??
    [];
  if (below !== undefined) return below;
  return library === undefined && app === undefined ? undefined : `packages/${library ?? app}.md`;
}

/**
 * Returns the path in the repository that a relative link leads to, with its anchor. Undefined for every other link.
 *
 * @param file that has the link: 'docs/guides/typeorm.md'
 */
export function linkedFile(file: string, href: string): string | undefined {
  if (/^([a-z][a-z+.-]*:|[#/])/i.test(href)) return undefined;
  const path = posix.join(posix.dirname(file), href);
  return path.startsWith('../') ? undefined : path;
}

/** Returns the address on the site of a linked file, if it is a page there. The anchor stays. */
export function siteLink(path: string): string | undefined {
  const [file = '', anchor] = path.split('#');
  const page = sitePath(file);
  return page && `/${page}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Returns the anchor that GitHub gives to a heading, so that a link works there and on the site. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
