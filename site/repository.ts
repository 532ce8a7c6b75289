import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface Manifest {
  readonly name: string;
  readonly version: string;
  /** Missing until the repository has an address. */
  readonly repository?: { readonly url: string };
}

export const manifest = JSON.parse(readFileSync(`${ROOT}/libs/snowflake/package.json`, 'utf8')) as Manifest;

/** Where people read the sources: 'https://github.com/…'. */
export const repositoryUrl = manifest.repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');
export const filesUrl = repositoryUrl === undefined ? undefined : `${repositoryUrl}/blob/HEAD/`;

/**
 * Returns the path in the repository that a relative link leads to, with its anchor, if that is not a page of `docs/`. Undefined
 * for every other link.
 *
 * @param page path of the page below `docs/`: 'guides/typeorm.md'
 */
export function repositoryFile(page: string, href: string): string | undefined {
  if (/^([a-z][a-z+.-]*:|[#/])/i.test(href)) return undefined;
  const path = posix.join('docs', posix.dirname(page), href);
  const isPage = path.startsWith('docs/') && /\.md(#|$)/.test(path);
  return isPage || path.startsWith('../') ? undefined : path;
}

/** Returns the anchor that GitHub gives to a heading, so that a link works there and on the site. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
