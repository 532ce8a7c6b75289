import { codeIn, MarkdownPage } from '../../docs/markdown.js';

const [table] = MarkdownPage.read('README.md').tablesUnder('In production, the store changes');

/** Returns what the README installs for a store, without `npm i`. @throws Error if it has no command */
export function installLine(store: 'SQL' | 'Redis'): string {
  const column = table?.columns.indexOf(store) ?? -1;
  const cell = table?.rows.find(([name = '']) => name === 'Install')?.[column] ?? '';
  const [, line] = /^npm i (nestjs-snowflake.*)$/.exec(codeIn(cell)[0] ?? '') ?? [];
  if (line === undefined) throw new Error(`The README has no command for ${store}`);
  return line;
}
