import { relative, sep } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { filesUrl, linkedFile, ROOT, siteLink } from './repository.js';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** The page of the home, from the root of the repository. */
export const HOME = 'docs/index.md';

const MANAGERS = ['pnpm', 'yarn'];
const INSTALLATION = /^```sh\n((?:npm (?:i|install) .*\n)+)```$/gm;
/** Blocks of alternatives, each below its name in bold. */
const ALTERNATIVES = /(?:^\*\*[\w .]+\*\*\n\n```\w+\n(?:(?!```).*\n)+```\n+){2,}/gm;
const ALTERNATIVE = /^\*\*([\w .]+)\*\*\n\n```(\w+)\n((?:(?!```).*\n)+)```\n+/gm;
/** A table with more columns than a phone has room for. */
const WIDE = 3;

/** Makes of Markdown for GitHub what only this site can show. */
export function extendMarkdown(md: MarkdownRenderer): void {
  md.core.ruler.after('normalize', 'package-managers', (state) => {
    state.src = withAlternatives(withPackageManagers(state.src));
  });
  md.core.ruler.push('repository-links', ({ tokens, env }) => linkFiles(tokens, sourceOf(env)));
  md.core.ruler.push('stacked-tables', ({ tokens }) => nameCells(tokens));
  // That of VitePress shows no attribute.
  md.renderer.rules['table_open'] = (tokens, at, options, _env, self) =>
    self.renderToken(tokens, at, options);
  md.core.ruler.push('home', (state) => {
    if (sourceOf(state.env) === HOME) state.tokens = shownOnHome(state.tokens);
  });
}

/** The hero and the cards show what is above the second heading of the home page, and the sidebar shows the list of all pages. */
function shownOnHome(tokens: readonly Token[]): Token[] {
  const headings = [...tokens.entries()].filter(
    ([, { type, tag }]) => type === 'heading_open' && tag === 'h2',
  );
  const list = tokens.findIndex(({ content }) => content.includes('<!-- pages -->'));
  const [first = 0] = headings[0] ?? [];
  const [last] = headings.findLast(([at]) => at < list) ?? [];
  return tokens.slice(first, last);
}

/** Returns the file that a page comes from, from the root of the repository. The index of the search has no `realPath`. */
function sourceOf(env: unknown): string {
  const { realPath, path = '' } = env as { readonly realPath?: string; readonly path?: string };
  return relative(ROOT, realPath ?? path).replaceAll(sep, '/');
}

/** Gives each block that only installs packages a tab for each package manager. */
export function withPackageManagers(text: string): string {
  return text.replaceAll(INSTALLATION, (_, commands: string) => {
    const others = MANAGERS.map((name) => tab(name, commands.replaceAll(/^npm \w+/gm, `${name} add`)));
    return ['::: code-group', tab('npm', commands), ...others, ':::'].join('\n');
  });
}

/** Shows alternatives as tabs. */
function withAlternatives(text: string): string {
  return text.replaceAll(ALTERNATIVES, (blocks) => {
    const tabs = [...blocks.matchAll(ALTERNATIVE)].map(([, name = '', language, code = '']) =>
      tab(name, code, language),
    );
    return ['::: code-group', ...tabs, ':::', ''].join('\n');
  });
}

const tab = (name: string, code: string, language = 'sh'): string =>
  `\`\`\`${language} [${name}]\n${code}\`\`\``;

/** Leads links to pages of the repository to their pages here, and links to other files to the repository. */
function linkFiles(tokens: readonly Token[], page: string): void {
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const file = linkedFile(page, String(token.attrGet('href') ?? '#'));
    if (file === undefined) continue;
    const link = siteLink(file);
    if (link !== undefined) {
      token.attrSet('href', link);
      continue;
    }
    // The check at the end of the build reads this. Without an address of the repository, the link is text.
    token.attrSet('data-file', file);
    if (filesUrl === undefined) token.attrs = token.attrs?.filter(([name]) => name !== 'href') ?? null;
    else token.attrSet('href', `${filesUrl}${file}`);
  }
}

/** Names the column in each cell of a wide table, for a screen on which each row is a list of cells. */
function nameCells(tokens: readonly Token[]): void {
  let table: Token | undefined;
  let columns: string[] = [];
  let at = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'table_open') {
      [table, columns] = [token, []];
      // A table that scrolls needs the keyboard.
      token.attrSet('tabindex', '0');
    }
    if (token.type === 'th_open') columns.push(textOf(tokens[index + 1]));
    if (token.type === 'thead_close' && columns.length >= WIDE) table?.attrJoin('class', 'is-wide');
    if (token.type === 'tr_open') at = 0;
    if (token.type === 'td_open') token.attrSet('data-column', columns[at++] ?? '');
  }
}

function textOf(token: Token | undefined): string {
  return (token?.children ?? []).map(({ content }) => content).join('');
}
