import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { createMarkdownRenderer, defineConfig } from 'vitepress';
import llmstxt from 'vitepress-plugin-llms';
import { descriptionOf, previewOf, siteUrl } from '../head.js';
import { exampleOf, homeOf } from '../home.js';
import { extendMarkdown, HOME } from '../markdown.js';
import { anchorOf, manifest, NO_PAGES, repositoryUrl, ROOT, sitePath } from '../repository.js';
import { searchedWords } from '../search.js';
import { sectionsOf, sidebarOf } from '../sidebar.js';
import { problemsOfSite } from '../site-check.js';

const DOCS = join(ROOT, 'docs');
const base = siteUrl === undefined ? '/' : new URL(siteUrl).pathname;

/** The pages are outside of this folder, where Vite does not find Vue. */
const packagesOfThisFolder: Plugin = {
  name: 'packages-of-this-folder',
  enforce: 'pre',
  resolveId(id, importer, options) {
    if (!/\.md(\?|$)/.test(importer ?? '') || !/^vue(\/|$)/.test(id)) return undefined;
    return this.resolve(id, join(ROOT, 'site/package.json'), { ...options, skipSelf: true });
  },
};

export default defineConfig({
  base,
  srcDir: '..',
  srcExclude: NO_PAGES,
  rewrites: (file) => sitePath(file) ?? file,
  title: manifest.name,
  description: 'Unique, time-ordered 64-bit IDs for NestJS backends',
  lang: 'en',
  head: [['link', { rel: 'icon', href: `${base}logo.svg` }]],
  ...(siteUrl !== undefined && { sitemap: { hostname: siteUrl } }),
  // An unpacked archive has no history.
  lastUpdated: existsSync(join(ROOT, '.git')),
  // The check at the end of the build lists these together with dead anchors.
  ignoreDeadLinks: true,
  markdown: { anchor: { slugify: anchorOf }, config: extendMarkdown },
  vite: {
    publicDir: join(ROOT, 'site/public'),
    plugins: [
      packagesOfThisFolder,
      llmstxt({
        workDir: 'docs',
        ignoreFiles: ['reference/api/**'],
        sidebar: sectionsOf(DOCS),
        injectLLMHint: false,
        ...(siteUrl && { domain: new URL(siteUrl).origin }),
      }),
    ],
    resolve: {
      alias: {
        'console-tool': join(ROOT, 'libs/snowflake-console/page/src/tool.tsx'),
        'nestjs-snowflake/core': join(ROOT, 'libs/snowflake/src/core/index.ts'),
      },
    },
    // The index of the search is one large chunk, which loads when a reader opens the search.
    build: { chunkSizeWarningLimit: 2_000 },
    // Vue's own. From the folder of the pages, Vite would find that of the workspace, which is another version.
    ssr: { noExternal: ['estree-walker'] },
  },
  async transformPageData(page) {
    const file = join(ROOT, page.filePath);
    const description =
      page.description || (existsSync(file) && descriptionOf(readFileSync(file, 'utf8'))) || '';
    const head = previewOf({ ...page, description });
    const frontmatter = { ...page.frontmatter, head };
    if (page.filePath !== HOME)
      return { description, frontmatter: { ...frontmatter, ...only(page.filePath) } };
    const { hero, features } = homeOf(readFileSync(file, 'utf8'));
    const example = await exampleHtml();
    const actions = [
      { theme: 'brand', text: 'Get started', link: '/getting-started' },
      { theme: 'alt', text: 'How it works', link: '/explanation/how-it-works' },
      { theme: 'alt', text: 'Decode an ID', link: '/tools/decode' },
    ];
    return {
      description: hero.text,
      frontmatter: { ...frontmatter, layout: 'home', hero: { ...hero, actions }, features, example },
    };
  },
  themeConfig: {
    logo: '/logo.svg',
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // Ranks written pages above signatures.
            boostDocument: (id) => (id.includes('/reference/api/') ? 0.3 : 1),
            processTerm: searchedWords,
          },
        },
      },
    },
    sidebar: sidebarOf(DOCS),
    outline: { level: [2, 3] },
    nav: [
      { text: 'Get started', link: '/getting-started' },
      { text: 'Operate', link: '/operations/store-unreachable' },
      { text: 'Reference', link: '/reference/options' },
      {
        text: 'Tools',
        items: [
          { text: 'Decode', link: '/tools/decode' },
          { text: 'Generate', link: '/tools/generate' },
          { text: 'Layouts', link: '/tools/layouts' },
          { text: 'Times', link: '/tools/time' },
        ],
      },
      { text: `v${manifest.version}`, link: '/changelog' },
    ],
    footer: { message: 'MIT License. This site sets no cookies and sends nothing that you type.' },
    ...(repositoryUrl !== undefined && {
      socialLinks: [{ icon: 'github', link: repositoryUrl }],
      editLink: { pattern: `${repositoryUrl}/edit/main/:path`, text: 'Edit this page' },
    }),
  },
  buildEnd({ outDir, logger, rewrites }) {
    const problems = problemsOfSite({ built: outDir, repository: ROOT, base, sources: rewrites.inv });
    if (problems.length === 0) return;
    logger.error(`\n${problems.map((problem) => `- ${problem}`).join('\n')}\n`);
    throw new Error(`The site has ${problems.length} problems, listed above.`);
  },
});

/** What the pages of a folder have in common. */
function only(file: string): Record<string, unknown> {
  // Generated, and so not in the repository.
  if (file.startsWith('docs/reference/api/')) return { editLink: false, lastUpdated: false };
  if (!file.startsWith('site/tools/')) return {};
  return { sidebar: false, aside: false, editLink: false, lastUpdated: false, pageClass: 'tool' };
}

async function exampleHtml(): Promise<string> {
  const md = await createMarkdownRenderer(ROOT);
  return md.render(exampleOf(readFileSync(join(ROOT, 'README.md'), 'utf8')));
}
