import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MarkdownPage, ROOT } from './markdown.js';

/** Every page of the documentation below `docs/`, by its path in the repository. TypeDoc's pages are not committed. */
export const DOCS: readonly string[] = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md') && !/^reference[\\/]api[\\/]/.test(path))
  .map((path) => `docs/${path}`)
  .sort();

export const PAPERS: readonly string[] = readdirSync(ROOT)
  .filter((path) => path.endsWith('.md'))
  .sort();

/** Those that npm shows. That of `nestjs-snowflake` is made from the README of the repository. */
const PACKAGES: readonly string[] = readdirSync(join(ROOT, 'libs'))
  .filter((name) => name !== 'snowflake')
  .map((name) => `libs/${name}/README.md`)
  .sort();

const APPS: readonly string[] = ['apps/id-service/README.md', 'apps/orders/README.md'];

/** What the package tells coding agents. */
export const SKILLS: readonly string[] = ['libs/snowflake/skills/nestjs-snowflake/SKILL.md'];

/** Every page that a reader can open. */
export const PAGES: readonly string[] = [...PAPERS, ...APPS, ...PACKAGES, ...SKILLS, ...DOCS];

/** Returns the page that a message, TSDoc or an alert names by its title, or by its title and a heading: 'Redis: Permissions'. */
export function pagePath(name: string): string | undefined {
  const [title = '', heading] = name.split(': ');
  return DOCS.find((path) => {
    const { headings } = MarkdownPage.read(path);
    return headings[0] === title && (heading === undefined || headings.includes(heading));
  });
}

/** Files that the code blocks of a page take for granted: `test/docs/support-files/<page>/`. */
export function supportFolderOf(page: string): string {
  return join(ROOT, 'test/docs/support-files', page.replace(/^docs\//, '').replace(/\.md$/, ''));
}
