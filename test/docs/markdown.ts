import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { anchorOf } from '../../site/repository.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of code. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/** A table, its cells as they are written, without the padding. */
export interface Table {
  /** Text of the nearest heading above it. */
  readonly heading: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A page of this repository in the Markdown that Prettier writes: fenced code, and tables with outer pipes. */
export class MarkdownPage {
  readonly text: string;
  readonly blocks: readonly CodeBlock[];
  readonly headings: readonly string[];
  readonly tables: readonly Table[];
  /** The page without its fenced blocks. */
  readonly prose: string;

  constructor(text: string) {
    this.text = text;
    this.blocks = [...text.matchAll(/^```(\w*)(?: \[[^\]\n]+\])?\n([\s\S]*?)^```$/gm)].map(
      ([, language = '', code = '']) => ({
        language,
        text: code,
      }),
    );
    this.prose = text.replace(/^```[\s\S]*?^```$/gm, '');
    const lines = this.prose.split('\n');
    this.headings = lines.flatMap((line) => headingOf(line) ?? []);
    this.tables = tablesIn(lines);
  }

  static read(path: string): MarkdownPage {
    return new MarkdownPage(readFileSync(`${ROOT}/${path}`, 'utf8'));
  }

  /** The part of the page below a heading of the second level. */
  under(heading: string): MarkdownPage {
    const part = this.text.split(/^## /m).find((each) => each.startsWith(`${heading}\n`));
    if (part === undefined) throw new Error(`The page has no heading "${heading}"`);
    return new MarkdownPage(part);
  }

  blocksIn(language: string): CodeBlock[] {
    return this.blocks.filter((block) => block.language === language);
  }

  tablesUnder(heading: string): Table[] {
    return this.tables.filter((table) => table.heading === heading);
  }

  /** The rows of all tables under a heading. */
  rowsUnder(heading: string): (readonly string[])[] {
    return this.tablesUnder(heading).flatMap(({ rows }) => rows);
  }

  /** The code between the backticks of a column, one by one. */
  codesUnder(heading: string, column = 0): string[] {
    return this.rowsUnder(heading).flatMap((row) => codeIn(row[column] ?? ''));
  }

  /** Targets of the links and pictures in the prose. */
  get links(): string[] {
    const targets = this.prose.matchAll(/\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"\s]+)"/g);
    return [...targets].map(([, markdown, html = '']) => markdown ?? html);
  }

  /** What `#…` links can point at, as GitHub and npm name it. */
  get anchors(): string[] {
    return this.headings.map(anchorOf);
  }
}

function headingOf(line: string): string | undefined {
  return /^#{1,6} (.+)$/.exec(line)?.[1];
}

function tablesIn(lines: readonly string[]): Table[] {
  const tables: Table[] = [];
  let heading = '';
  for (let at = 0; at < lines.length; at++) {
    heading = headingOf(lines[at] ?? '') ?? heading;
    if (!isRow(lines[at])) continue;
    const end = lines.findIndex((line, index) => index > at && !isRow(line));
    const [columns = [], , ...rows] = lines.slice(at, end).map(cellsOf);
    tables.push({ heading, columns, rows });
    at = end;
  }
  return tables;
}

function isRow(line: string | undefined): boolean {
  return line?.startsWith('|') ?? false;
}

function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Everything that stands between backticks, one by one. */
export function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}
