import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitepress';
import { homeOf } from '../home.js';
import { anchorOf, filesUrl, manifest, repositoryFile, repositoryUrl, ROOT } from '../repository.js';
import { sidebarOf } from '../sidebar.js';
import { problemsOfSite } from '../site-check.js';

const DOCS = join(ROOT, 'docs');
const HOME = 'index.md';
/** A snowflake. In the page itself, so that it is not one more file. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#4f6bd8" stroke-width="2.5" stroke-linecap="round"><path d="M12 2v20M3.3 7l17.4 10M3.3 17 20.7 7"/></svg>',
)}`;

/** The pages are outside of this folder, where Vite does not find Vue. */
const packagesOfThisFolder: Plugin = {
  name: 'packages-of-this-folder',
  enforce: 'pre',
  resolveId(id, importer, options) {
    if (!importer?.startsWith(DOCS) || !/^vue(\/|$)/.test(id)) return undefined;
    return this.resolve(id, join(ROOT, 'site/package.json'), { ...options, skipSelf: true });
  },
};

export default defineConfig({
  srcDir: '../docs',
  title: manifest.name,
  description: 'Unique, time-ordered 64-bit IDs for NestJS backends',
  lang: 'en',
  head: [['link', { rel: 'icon', href: ICON }]],
  // The check at the end of the build lists these together with dead anchors.
  ignoreDeadLinks: true,
  markdown: {
    anchor: { slugify: anchorOf },
    config(md) {
      md.core.ruler.push('repository-links', ({ tokens, env }) => {
        const page = String((env as { relativePath?: string }).relativePath);
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const file = repositoryFile(page, String(token.attrGet('href') ?? '#'));
          if (file === undefined) continue;
          // The check at the end of the build reads this. Without an address of the repository, the link is text.
          token.attrSet('data-file', file);
          if (filesUrl === undefined) token.attrs = token.attrs?.filter(([name]) => name !== 'href') ?? null;
          else token.attrSet('href', `${filesUrl}${file}`);
        }
      });
      // The hero and the cards show what is above the second heading of the home page.
      md.core.ruler.push('home', (state) => {
        if ((state.env as { relativePath?: string }).relativePath !== HOME) return;
        const second = state.tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h2');
        state.tokens.splice(0, second);
      });
    },
  },
  // The index of the search is one large chunk, which loads when a reader opens the search.
  vite: {
    plugins: [packagesOfThisFolder],
    build: { chunkSizeWarningLimit: 2_000 },
    // Vue's own. From the folder of the pages, Vite would find that of the workspace, which is another version.
    ssr: { noExternal: ['estree-walker'] },
  },
  transformPageData({ relativePath, frontmatter }) {
    // Generated, and so not in the repository.
    if (relativePath.startsWith('reference/api/'))
      return { frontmatter: { ...frontmatter, editLink: false } };
    if (relativePath !== HOME) return undefined;
    const { hero, features } = homeOf(readFileSync(join(DOCS, HOME), 'utf8'));
    const actions = [
      { theme: 'brand', text: 'Get started', link: '/getting-started' },
      { theme: 'alt', text: 'How it works', link: '/explanation/how-it-works' },
    ];
    return { frontmatter: { ...frontmatter, layout: 'home', hero: { ...hero, actions }, features } };
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // Ranks written pages above signatures.
        miniSearch: { searchOptions: { boostDocument: (id) => (id.includes('/reference/api/') ? 0.3 : 1) } },
      },
    },
    sidebar: sidebarOf(DOCS),
    outline: { level: [2, 3] },
    nav: [
      { text: 'Get started', link: '/getting-started' },
      { text: 'Operate', link: '/operations/store-unreachable' },
      { text: 'Reference', link: '/reference/options' },
      ...(repositoryUrl === undefined
        ? []
        : [
            { text: 'Changelog', link: `${filesUrl}libs/snowflake/CHANGELOG.md` },
            { text: 'Source', link: repositoryUrl },
          ]),
    ],
    ...(filesUrl !== undefined && {
      editLink: { pattern: `${filesUrl}docs/:path`, text: 'This page in the repository' },
    }),
  },
  buildEnd({ outDir, logger }) {
    const problems = problemsOfSite({ built: outDir, repository: ROOT });
    if (problems.length === 0) return;
    logger.error(`\n${problems.map((problem) => `- ${problem}`).join('\n')}\n`);
    throw new Error(`The site has ${problems.length} problems, listed above.`);
  },
});
