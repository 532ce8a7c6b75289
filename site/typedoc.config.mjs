import { readFileSync } from 'node:fs';
import { Converter } from 'typedoc';

const library = new URL('../libs/snowflake/', import.meta.url);
const { name, exports } = JSON.parse(readFileSync(new URL('package.json', library), 'utf8'));

/** Where the source of each entry point is, relative to `src`, by what users import: 'nestjs-snowflake/redis'. */
const entryPoints = new Map(
  Object.entries(exports)
    // The kit is no API.
    .filter(([entryPoint]) => entryPoint !== './package.json' && !/^\.\/kit(-|$)/.test(entryPoint))
    .map(([entryPoint, { import: conditions }]) => [
      entryPoint.replace('.', name),
      conditions.default.replace('./dist/esm/', '').replace(/\.js$/, '.ts'),
    ]),
);

/** Names modules by the entry points that users import, instead of by their files. */
function nameModulesByEntryPoints({ converter }) {
  const entryPointOf = new Map(
    [...entryPoints].map(([entryPoint, source]) => [source.replace(/(\/index)?\.ts$/, ''), entryPoint]),
  );
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = entryPointOf.get(module.name) ?? module.name;
  });
}

/** The API reference: a folder for each entry point of the package, with a page for each class, function and interface. */
export default {
  name: 'API',
  entryPoints: [...entryPoints.values()].map((source) => new URL(`src/${source}`, library).pathname),
  sortEntryPoints: false,
  tsconfig: new URL('tsconfig.lib.json', library).pathname,
  plugin: ['typedoc-plugin-markdown', nameModulesByEntryPoints],
  out: new URL('../docs/reference/api', import.meta.url).pathname,
  readme: 'none',
  entryFileName: 'index',
  modulesFileName: 'index',
  membersWithOwnFile: ['Class', 'Function', 'Interface'],
  groupOrder: ['Functions', 'Classes', 'Interfaces', '*'],
  indexFormat: 'table',
  hidePageHeader: true,
  parametersFormat: 'table',
  typeDeclarationFormat: 'table',
  useCodeBlocks: true,
  // Steers the compiler; nobody names it.
  intentionallyNotExported: ['Refusal'],
  excludeInternal: true,
  excludeExternals: true,
  excludePrivate: true,
  disableSources: true,
  treatWarningsAsErrors: true,
};
