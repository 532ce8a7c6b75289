import { Converter } from 'typedoc';
import { entryPointsOf, PACKAGE_FOLDERS } from '../test/support/entry-points.mjs';

const entryPoints = PACKAGE_FOLDERS.flatMap(entryPointsOf);

/** Names modules by the entry points that users import, instead of by their files. */
function nameModulesByEntryPoints({ converter }) {
  const entryPointOf = new Map(
    entryPoints.map(({ name, source }) => [
      source.replace(/^libs\//, '').replace(/(\/index)?\.ts$/, ''),
      name,
    ]),
  );
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = entryPointOf.get(module.name) ?? module.name;
  });
}

/** The API reference: a folder for each entry point of the packages, with a page for each class, function and interface. */
export default {
  name: 'API',
  entryPoints: entryPoints.map(({ source }) => new URL(`../${source}`, import.meta.url).pathname),
  sortEntryPoints: false,
  tsconfig: new URL('tsconfig.api.json', import.meta.url).pathname,
  // `npm run typecheck` does this.
  skipErrorChecking: true,
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
  excludeInternal: true,
  excludeExternals: true,
  excludePrivate: true,
  disableSources: true,
  treatWarningsAsErrors: true,
};
