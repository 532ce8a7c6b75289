import type { HeadConfig, PageData } from 'vitepress';
import { manifest } from './repository.js';

/** Where the site will be: 'https://…/'. Undefined until it has an address. */
export const siteUrl = manifest.homepage && manifest.homepage.replace(/\/*$/, '/');

/** A search engine shows about so much. */
const MOST_CHARACTERS = 200;

/** Returns the first paragraph of a page as plain text, or as much of it as whole sentences have room. */
export function descriptionOf(markdown: string): string | undefined {
  const blocks = markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replaceAll(/^(```|:::)[\s\S]*?^\1$/gm, '')
    .split(/\n{2,}/);
  const paragraph = blocks.find((block) => /^[\p{L}`*_[(]/u.test(block) && !/^\S+ \|/.test(block));
  const text = paragraph
    ?.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text === undefined || text.length <= MOST_CHARACTERS ? text : shortened(text);
}

function shortened(text: string): string {
  const start = text.slice(0, MOST_CHARACTERS);
  return /^.*[.:!?。](?= |$)/.exec(start)?.[0] ?? `${start.slice(0, start.lastIndexOf(' '))} …`;
}

/** Returns what a chat, a feed or a search engine shows of a page. A picture needs the address of the site. */
export function previewOf({ title, description, relativePath }: PageData): HeadConfig[] {
  return [
    meta('og:type', 'website'),
    meta('og:site_name', manifest.name),
    meta('og:title', title),
    meta('og:description', description),
    ...(siteUrl === undefined
      ? []
      : [
          meta('og:url', siteUrl + relativePath.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html')),
          meta('og:image', `${siteUrl}og.png`),
          meta('og:image:width', '1200'),
          meta('og:image:height', '630'),
        ]),
  ];
}

const meta = (property: string, content: string): HeadConfig => ['meta', { property, content }];
