import { codeIn, MarkdownPage } from '../../docs/markdown.js';

/** The commands of the README that install the library, without `npm i`: by store, and by the version of Nest. */
const [table] = MarkdownPage.read('README.md').tablesUnder('Install');

/** Returns the command for a version of Nest and a store. @throws Error if the README has none */
export function installLine(nest: 11 | 12, store: 'SQL' | 'Redis'): string {
  const column = table?.columns.indexOf(`Nest ${nest}`) ?? -1;
  const cell = table?.rows.find(([name = '']) => name.includes(store))?.[column] ?? '';
  const [, line] = /^npm i (nestjs-snowflake.*)$/.exec(codeIn(cell)[0] ?? '') ?? [];
  if (line === undefined) throw new Error(`The README has no command for ${store} and Nest ${nest}`);
  return line;
}
