/** A column to widen, with its declared type. */
export interface NarrowColumn {
  readonly name: string;
  readonly type: string;
  readonly isPrimary: boolean;
}

/** A string, a quoted name, a comment, a word, or any other character. */
const TOKEN =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*\n?|\/\*[\s\S]*?\*\/|\w+|[\s\S]/g;
const BLANK = /^(?:\s|--|\/\*)/;

/**
 * Returns a `CREATE TABLE` statement of SQLite under another name, with these columns as `bigint` and without AUTOINCREMENT.
 * Keeps the rest as it is.
 *
 * @param table the new name, as SQL writes it
 */
export function widenedDefinition(
  definition: string,
  table: string,
  narrow: readonly NarrowColumn[],
): string {
  const tokens: string[] = definition.match(TOKEN) ?? [];
  const start = tokens.indexOf('(');
  const parts: string[][] = [[]];
  let [depth, end] = [0, start];
  do {
    const token = tokens[end] ?? ')';
    if (token === ')') depth -= 1;
    if (depth === 1 && token === ',') parts.push([]);
    else if (depth > 0) parts.at(-1)?.push(token);
    if (token === '(') depth += 1;
    end += 1;
  } while (depth > 0);
  const body = parts.map((part) => widenedPart(part, narrow)).join(',');
  return `CREATE TABLE ${table} (${body})${tokens.slice(end).join('')}`;
}

/** A column or a constraint of a table. */
function widenedPart(tokens: readonly string[], narrow: readonly NarrowColumn[]): string {
  const first = tokens.findIndex((token) => !BLANK.test(token));
  const names = tokens.map(unquoted);
  const column = narrow.find(({ name }) => name.toLowerCase() === names[first]);
  const isKey = /^(?:constraint|primary)$/i.test(tokens[first] ?? '');
  if (column === undefined) {
    const counts = isKey && narrow.some(({ name }) => names.includes(name.toLowerCase()));
    return counts ? withoutCounting(tokens.join('')) : tokens.join('');
  }
  const rest = withoutCounting(tokens.slice(first + 1).join('')).replace(
    typePattern(column.type),
    '$1bigint',
  );
  // SQLite itself refuses NULL only in an integer key.
  const isNullable = column.isPrimary && !/\bNOT\s+NULL\b/i.test(rest);
  return `${tokens.slice(0, first + 1).join('')}${isNullable ? rest.trimEnd() : rest}${isNullable ? ' NOT NULL' : ''}`;
}

function typePattern(type: string): RegExp {
  const words = type.split(/\s+/).map((word) => word.replaceAll(/\W/g, String.raw`\s*\$&`));
  return new RegExp(String.raw`^(\s*)${words.join(String.raw`\s+`)}`, 'i');
}

function withoutCounting(text: string): string {
  return text.replace(/\s+AUTOINCREMENT\b/i, '');
}

function unquoted(token: string): string {
  const quote = /^["`'[]/.test(token) ? token.slice(0, 1) : '';
  const name = quote === '' ? token : token.slice(1, -1).replaceAll(quote + quote, quote);
  return name.toLowerCase();
}
