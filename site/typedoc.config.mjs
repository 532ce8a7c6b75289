import { readFileSync } from 'node:fs';

const library = new URL('../libs/snowflake/', import.meta.url);
const { exports, repository } = JSON.parse(readFileSync(new URL('package.json', library), 'utf8'));
const sourceOf = ({ import: { default: built } }) =>
  new URL(built.replace('./dist/esm/', 'src/').replace(/\.js$/, '.ts'), library).pathname;

/** The API reference: one page for each door of the package, as the site shows it. */
export default {
  name: 'API',
  entryPoints: Object.entries(exports)
    .filter(([door]) => door !== './package.json')
    .map(([, conditions]) => sourceOf(conditions)),
  tsconfig: new URL('tsconfig.lib.json', library).pathname,
  plugin: ['typedoc-plugin-markdown'],
  out: new URL('../docs/reference/api', import.meta.url).pathname,
  readme: 'none',
  outputFileStrategy: 'modules',
  entryFileName: 'index',
  treatWarningsAsErrors: true,
  excludeInternal: true,
  excludeExternals: true,
  excludePrivate: true,
  disableGit: true,
  sourceLinkTemplate: `${repository.url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/HEAD/{path}#L{line}`,
};
