import { markdownTable as layOut } from 'markdown-table';

/**
 * A Markdown table that can be read as text too. A column whose values are all numbers, or begin with one, is aligned
 * to the right; so is an empty cell of it, or a dash.
 */
export function markdownTable(columns: string[], rows: (string | number)[][]): string {
  const cells = rows.map((row) => row.map(textOf));
  const align = columns.map((_, column) => (isNumeric(rows, column) ? 'r' : 'l'));
  return layOut([columns, ...cells], { align });
}

function textOf(cell: string | number): string {
  const text = typeof cell === 'number' ? cell.toLocaleString('en-US') : cell;
  return text.replaceAll('|', String.raw`\|`);
}

function isNumeric(rows: (string | number)[][], column: number): boolean {
  const values = rows
    .map((row) => String(row[column] ?? '').trim())
    .filter((value) => !/^[-–—]?$/.test(value));
  return values.length > 0 && values.every((value) => /^[-+<>≤≥~]?\s?\d/.test(value));
}
