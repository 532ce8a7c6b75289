import { readdirSync, readFileSync } from 'node:fs';
import { Converter } from 'typedoc';

const libs = new URL('../libs/', import.meta.url);
/** What only the packages of this project use is no API. */
const INTERNAL = /^\.\/(kit(-.*)?|tables)$/;

/** Where the source of each entry point is, relative to `libs`, by what users import: 'nestjs-snowflake/redis'. */
const entryPoints = new Map(
  readdirSync(libs).flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(new URL(`${folder}/package.json`, libs), 'utf8'));
    return (
      Object.entries(exports)
        // The others are files, such as package.json.
        .filter(([entryPoint, target]) => target.import && !INTERNAL.test(entryPoint))
        .map(([entryPoint, { import: conditions }]) => [
          entryPoint.replace('.', name),
          conditions.default.replace('./dist/esm/', `${folder}/src/`).replace(/\.js$/, '.ts'),
        ])
    );
  }),
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

/** The API reference: a folder for each entry point of the packages, with a page for each class, function and interface. */
export default {
  name: 'API',
  entryPoints: [...entryPoints.values()].map((source) => new URL(source, libs).pathname),
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
