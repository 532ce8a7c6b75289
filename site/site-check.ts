import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { anchorOf } from './repository.js';

export interface SiteToCheck {
  /** Folder of the built site. */
  readonly built: string;
  /** Folder of the repository, for links to its files. */
  readonly repository: string;
  /** Path of the site on its host: '/' or '/nestjs-snowflake/'. */
  readonly base: string;
  /** The files that pages come from, by the paths of the pages, both with `.md`. */
  readonly sources: Readonly<Record<string, string | undefined>>;
}

interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** How many pages with the same problem are named. */
const NAMED = 3;

/** What loads a file as soon as the page opens. */
const LOADING: Readonly<Record<string, string>> = {
  audio: 'src',
  iframe: 'src',
  img: 'src',
  link: 'href',
  script: 'src',
  source: 'src',
  video: 'src',
};

/**
 * Returns what is wrong with a built site: links to pages, files and headings that don't exist, and files that a page would
 * load from another host. Each problem names the sources of pages that have it.
 */
export function problemsOfSite({ built, repository, base, sources }: SiteToCheck): string[] {
  const pages = new Map(
    filesIn(built, '.html').map((path) => [base + path, tagsIn(readFileSync(join(built, path), 'utf8'))]),
  );
  const anchors = new Map(
    [...pages].map(([path, tags]) => [
      path,
      new Set(tags.flatMap(({ attributes }) => attributes.get('id') ?? [])),
    ]),
  );

  function problemOfLink(page: string, href: string): string | undefined {
    if (/^([a-z][a-z+.-]*:|\/\/)/i.test(href)) return undefined;
    const { pathname, hash } = new URL(href, `https://site.invalid${page}`);
    const path = decodeURIComponent(pathname).replace(/\/$/, '/index.html');
    const anchor = decodeURIComponent(hash.slice(1));
    const known = anchors.get(path) ?? anchors.get(`${path}.html`);
    if (known === undefined)
      return path.startsWith(base) && existsSync(join(built, path.slice(base.length)))
        ? undefined
        : `${sourceOf(path)} doesn't exist`;
    return anchor === '' || known.has(anchor) ? undefined : `${sourceOf(path)} has no heading #${anchor}`;
  }

  /** The Markdown that a page comes from. */
  function sourceOf(path: string): string {
    const page = path.slice(base.length).replace(/(\.html)?$/, '.md');
    return sources[page] ?? path;
  }

  const found = new Map<string, string[]>();
  for (const [page, tags] of pages) {
    const dead = tags.flatMap(({ name, attributes }) => {
      if (name !== 'a') return [];
      const [file, href] = [attributes.get('data-file'), attributes.get('href')];
      if (file !== undefined) return problemOfFile(repository, file) ?? [];
      return href === undefined ? [] : (problemOfLink(page, href) ?? []);
    });
    for (const problem of new Set([...dead, ...tags.flatMap(requestOf)])) {
      found.set(problem, [...(found.get(problem) ?? []), sourceOf(page)]);
    }
  }
  return [
    ...[...found].map(([problem, on]) => `${problem}: ${placesOf(on)}`),
    ...requestsOfStyles(built),
  ].sort();
}

function problemOfFile(repository: string, link: string): string | undefined {
  const [path = '', anchor] = decodeURIComponent(link).split('#');
  if (!existsSync(join(repository, path))) return `${path} doesn't exist`;
  if (anchor === undefined || !path.endsWith('.md')) return undefined;
  const headings = readFileSync(join(repository, path), 'utf8').matchAll(/^#{1,6} (.+)$/gm);
  return [...headings].some(([, heading = '']) => anchorOf(heading) === anchor)
    ? undefined
    : `${path} has no heading #${anchor}`;
}

/** Names the first pages that have a problem: a link in the navigation is on all of them. */
function placesOf(pages: readonly string[]): string {
  const written = [...pages].sort((a, b) => Number(a.includes('/api/')) - Number(b.includes('/api/')));
  const others = pages.length - NAMED;
  return `${written.slice(0, NAMED).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

/** The problem of a tag that would load something from another host. */
function requestOf({ name, attributes }: Tag): string[] {
  const target = attributes.get(LOADING[name] ?? '') ?? '';
  return /^(https?:)?\/\//.test(target) && attributes.get('rel') !== 'canonical'
    ? [`<${name}> loads ${target} from another host`]
    : [];
}

function requestsOfStyles(built: string): string[] {
  return filesIn(built, '.css').flatMap((path) =>
    [
      ...readFileSync(join(built, path), 'utf8').matchAll(
        /(?:url\(\s*|@import\s+)["']?((?:https?:)?\/\/[^"')\s]+)/g,
      ),
    ].map(([, target = '']) => `${path}: loads ${target} from another host`),
  );
}

function filesIn(folder: string, extension: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(extension))
    .map((path) => path.split(/[\\/]/).join(posix.sep))
    .sort();
}

/** Text in HTML has no `<`, so each is the start of a tag. */
function tagsIn(html: string): Tag[] {
  const withoutScripts = html.replaceAll(/(<script\b[^>]*>)[\s\S]*?<\/script>/g, '$1');
  return [...withoutScripts.matchAll(/<([a-z][\w-]*)((?:\s[^<>]*)?)>/gi)].map(([, name = '', rest = '']) => ({
    name: name.toLowerCase(),
    attributes: new Map(
      [...rest.matchAll(/([\w:-]+)="([^"]*)"/g)].map(([, attribute = '', value = '']) => [
        attribute,
        value.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'"),
      ]),
    ),
  }));
}
