import { readFileSync } from 'node:fs';
import { Converter } from 'typedoc';

const library = new URL('../libs/snowflake/', import.meta.url);
const { name, exports } = JSON.parse(readFileSync(new URL('package.json', library), 'utf8'));

/** Where the source of each door is, relative to `src`, by what users import: 'nestjs-snowflake/redis'. */
const doors = new Map(
  Object.entries(exports)
    // The kit is no API.
    .filter(([door]) => door !== './package.json' && !/^\.\/kit(-|$)/.test(door))
    .map(([door, { import: conditions }]) => [
      door.replace('.', name),
      conditions.default.replace('./dist/esm/', '').replace(/\.js$/, '.ts'),
    ]),
);

/** TypeDoc names modules by their files. Users know them by their doors. */
function nameModulesByDoors({ converter }) {
  const doorOf = new Map([...doors].map(([door, source]) => [source.replace(/(\/index)?\.ts$/, ''), door]));
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = doorOf.get(module.name) ?? module.name;
  });
}

/** The API reference: a folder for each door of the package, with a page for each class, function and interface. */
export default {
  name: 'API',
  entryPoints: [...doors.values()].map((source) => new URL(`src/${source}`, library).pathname),
  sortEntryPoints: false,
  tsconfig: new URL('tsconfig.lib.json', library).pathname,
  plugin: ['typedoc-plugin-markdown', nameModulesByDoors],
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
