import type { ts, TypeScript } from './typescript.js';

/** A replacement of a range of a text. An insertion has an empty range. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** How a file is written. */
export interface Style {
  readonly eol: string;
  readonly quote: string;
  readonly semicolon: string;
  readonly indent: string;
}

const COMMON_STYLE: Style = { eol: '\n', quote: "'", semicolon: ';', indent: '  ' };

/** A source file of the app, and the edits of it. */
export class Source {
  readonly tree: ts.SourceFile;
  private edits: TextEdit[] = [];

  constructor(
    readonly ts: TypeScript,
    readonly path: string,
    readonly text: string,
  ) {
    this.tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  }

  /** Replaces a range, or inserts a text there. */
  edit(from: number, to: number, text: string): void {
    this.edits.push({ from, to, text });
  }

  /** Returns the text with all edits. Those of one place follow each other in the order in which they were made. */
  edited(): string {
    return applyEdits(this.text, this.edits);
  }

  imports(): ts.ImportDeclaration[] {
    return this.tree.statements.filter((each) => this.ts.isImportDeclaration(each));
  }

  /** Yields the node and all nodes below it. */
  *nodes(from: ts.Node = this.tree): Generator<ts.Node> {
    yield from;
    const children: ts.Node[] = [];
    this.ts.forEachChild(from, (child) => void children.push(child));
    for (const child of children) yield* this.nodes(child);
  }

  /** The style that the file has, where it shows one. */
  get style(): Style {
    const [first] = this.imports();
    const eol = this.text.includes('\r\n') ? '\r\n' : '\n';
    if (first === undefined) return { ...COMMON_STYLE, eol };
    const quote = first.moduleSpecifier.getText().charAt(0);
    const semicolon = first.getText().endsWith(';') ? ';' : '';
    return { eol, quote, semicolon, indent: this.indentOfFile() };
  }

  /** Returns the white space with which the line of a position begins. */
  indentAt(position: number): string {
    const start = this.startOfLine(position);
    let end = start;
    while (this.text[end] === ' ' || this.text[end] === '\t') end += 1;
    return this.text.slice(start, end);
  }

  /** Returns the start of a node, with the comments on separate lines above it. */
  startWithComments(node: ts.Node): number {
    const comments = this.ts.getLeadingCommentRanges(this.text, node.getFullStart()) ?? [];
    return comments[0]?.pos ?? node.getStart();
  }

  /** Returns the end of a node, with the comment that follows it on its line. */
  endWithComment(node: ts.Node): number {
    return this.ts.getTrailingCommentRanges(this.text, node.getEnd())?.at(-1)?.end ?? node.getEnd();
  }

  /** Returns whether two positions are on one line. */
  onOneLine(a: number, b: number): boolean {
    return this.startOfLine(a) === this.startOfLine(b);
  }

  private startOfLine(position: number): number {
    return this.text.lastIndexOf('\n', position - 1) + 1;
  }

  private indentOfFile(): string {
    for (const node of this.nodes()) {
      const indent = node === this.tree ? '' : this.indentAt(node.getStart());
      if (indent !== '') return indent;
    }
    return COMMON_STYLE.indent;
  }
}

/** Returns a text with edits, which don't overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let done = 0;
  for (const { from, to, text: added } of edits.toSorted((a, b) => a.from - b.from)) {
    result += text.slice(done, from) + added;
    done = to;
  }
  return result + text.slice(done);
}

/** Returns a new file in a style. It is written with `'`, `;` and two spaces, and no `'` inside of strings. */
export function inStyle(lines: readonly string[], { eol, quote, semicolon, indent }: Style): string {
  const styled = lines.map((line) => {
    const code = line.trimStart();
    const depth = (line.length - code.length) / COMMON_STYLE.indent.length;
    const end = code.endsWith(';') ? code.slice(0, -1) + semicolon : code;
    return indent.repeat(depth) + end.replaceAll("'", quote);
  });
  return [...styled, ''].join(eol);
}
