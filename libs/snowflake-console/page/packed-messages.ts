import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Plugin } from 'vite';

const KEYS = '\0message-keys';
/** A separator that no message contains. */
const BETWEEN = '|';
const CATALOG = '\0messages:';

/**
 * Writes the keys of the messages into the page once instead of once per language, because messages are a sixth of the page.
 * In the sources, the modules remain objects with a text for each key.
 */
export function packedMessages(folder: string): Plugin {
  const catalogs = new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => [basename(name, '.json'), catalogIn(join(folder, name))] as const),
  );
  const keys = [...new Set([...catalogs.values()].flatMap((catalog) => Object.keys(catalog)))].sort();
  return {
    name: 'packed-messages',
    enforce: 'pre',
    resolveId(source, importer) {
      if (source === KEYS) return KEYS;
      const language = basename(source, '.json');
      const isCatalog = source.endsWith('.json') && importer?.startsWith(folder) && catalogs.has(language);
      return isCatalog ? CATALOG + language : undefined;
    },
    load(id) {
      if (id === KEYS) return keysModule(keys);
      const catalog = id.startsWith(CATALOG) ? catalogs.get(id.slice(CATALOG.length)) : undefined;
      if (!catalog) return undefined;
      // A language leaves out the forms of a count that it doesn't have.
      const texts = JSON.stringify(keys.map((key) => catalog[key] ?? '').join(BETWEEN));
      return `import { catalogOf } from ${JSON.stringify(KEYS)};\nexport default catalogOf(${texts});`;
    },
  };
}

function catalogIn(file: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
}

function keysModule(keys: readonly string[]): string {
  return (
    `const parts = (text) => text.split(${JSON.stringify(BETWEEN)});\n` +
    `const keys = parts(${JSON.stringify(keys.join(BETWEEN))});\n` +
    'export const catalogOf = (text) => {\n' +
    '  const texts = parts(text);\n' +
    '  return Object.fromEntries(keys.map((key, index) => [key, texts[index]]).filter(([, text]) => text));\n' +
    '};'
  );
}
