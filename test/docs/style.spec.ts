import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { MarkdownPage, ROOT } from './markdown.js';
import { GENERATED, PAGES } from './pages.js';
import { FORBIDDEN } from './style.js';

/** The forbidden turns in a text, each with some words around it. */
function foundIn(text: string): string[] {
  const flat = text.replaceAll(/`[^`]*`/g, '`…`');
  return FORBIDDEN.flatMap(({ pattern, instead }) =>
    [...flat.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(({ index, 0: found }) => {
      const around = flat.slice(Math.max(0, index - 30), index + found.length + 30).replaceAll(/\s+/g, ' ');
      return `${around.trim()} (instead: ${instead})`;
    }),
  );
}

const SOURCES = ['libs/snowflake/src', 'apps/orders/src'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .map((path) => `${folder}/${path}`),
);

/** The comments of a source file, and its strings of more than one word, which are messages. */
function textsOf(path: string): string[] {
  const source = readFileSync(join(ROOT, path), 'utf8');
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, source);
  const texts: string[] = [];
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    const text = scanner.getTokenText();
    if (
      token === ts.SyntaxKind.SingleLineCommentTrivia ||
      token === ts.SyntaxKind.MultiLineCommentTrivia ||
      (token === ts.SyntaxKind.StringLiteral && text.includes(' '))
    ) {
      texts.push(text.replaceAll(/\n\s*\*/g, '\n'));
    }
  }
  return texts;
}

describe('the English', () => {
  it.each(PAGES.filter((path) => !GENERATED.test(path) && !/CHANGELOG|glossary/.test(path)))(
    'of %s is plain',
    (path) => {
      expect(foundIn(MarkdownPage.read(path).prose)).toEqual([]);
    },
  );

  it('of comments and messages is plain', () => {
    const found = SOURCES.flatMap((path) =>
      textsOf(path)
        .flatMap(foundIn)
        .map((turn) => `${path}: ${turn}`),
    );
    expect(found).toEqual([]);
  });

  it('would not pass with a turn that is forbidden', () => {
    expect(foundIn('What should be an ID is none.')).toHaveLength(1);
    expect(foundIn('The process, without a word, goes on.')).toHaveLength(1);
  });
});
