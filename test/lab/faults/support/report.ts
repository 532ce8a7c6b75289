import type { Outcome } from './scenario.js';

const HEAD = ['IDs', 'processes', 'duplicates', 'worst stamp error', 'errors seen', 'verdict'];

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** The cells of one line of the table. */
export function cellsOf(outcome: Outcome, verdict: string): string[] {
  const errors = outcome.errors.map(
    ({ code, times, longestMs }) =>
      `${code.replace('SNOWFLAKE_', '')} ${times} x, up to ${seconds(longestMs)}`,
  );
  return [
    outcome.ids.toLocaleString('en'),
    String(outcome.processes),
    String(outcome.duplicates),
    `${outcome.worstStampErrorMs} ms`,
    errors.join('; ') || 'none',
    verdict,
  ];
}

/** A table for people, each column as wide as its widest cell. */
export function table(firstHead: string, rows: readonly (readonly string[])[]): string {
  const lines = [[firstHead, ...HEAD], ...rows];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
