import ts from 'typescript';

/** The comment of a symbol, as Markdown. */
export interface TsDoc {
  /** The first paragraph. */
  readonly summary: string;
  /** The line of the first paragraph that starts with `Bounds:`. */
  readonly bounds: string | undefined;
  /** The text of `@defaultValue`. */
  readonly defaultValue: string | undefined;
  /** The paragraphs and lists after the first paragraph. */
  readonly rest: readonly string[];
}

const BOUNDS = /^Bounds: (.+)\.$/;

export function tsDocOf(symbol: ts.Symbol, checker: ts.TypeChecker): TsDoc {
  const text = markdownOf(ts.displayPartsToString(symbol.getDocumentationComment(checker)));
  const [first = '', ...rest] = text.split(/\n{2,}/);
  const lines = first.split('\n');
  const bounds = lines.findIndex((line) => BOUNDS.test(line));
  return {
    summary: flat(lines.filter((_line, at) => at !== bounds).join('\n')),
    bounds: BOUNDS.exec(lines[bounds] ?? '')?.[1],
    defaultValue: defaultOf(symbol, checker),
    rest: rest.map((part) => (part.startsWith('- ') ? flatItems(part) : flat(part))),
  };
}

function defaultOf(symbol: ts.Symbol, checker: ts.TypeChecker): string | undefined {
  const tag = symbol.getJsDocTags(checker).find(({ name }) => name === 'defaultValue');
  return tag && flat(markdownOf(ts.displayPartsToString(tag.text)));
}

/** Shows what a link names as code: the links of the compiler lead nowhere on a page. */
function markdownOf(text: string): string {
  return text.replaceAll(/\{@link (\S+?)(?: \| ([^}]+))?\}/g, (_all, name: string, shown?: string) =>
    shown === undefined ? `\`${name}\`` : shown,
  );
}

function flat(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}

function flatItems(list: string): string {
  return list
    .split(/\n(?=- )/)
    .map(flat)
    .join('\n');
}
