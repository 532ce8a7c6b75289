import type { FileChange } from 'nestjs-snowflake/internal/setup/setup-plan';

/** Unchanged lines around a change. */
const CONTEXT = 3;

/** A line of both texts, of the old one, or of the new one. */
interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Returns the change of a file as a unified diff. */
export function differenceOf({ path, before, after }: FileChange): string {
  const lines = compared(before === undefined ? [] : linesOf(before), linesOf(after));
  const head = [`--- ${before === undefined ? '/dev/null' : `a/${path}`}`, `+++ b/${path}`];
  return `${[...head, ...hunks(lines)].join('\n')}\n`;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Compares two texts by their longest common subsequence of lines. */
function compared(old: readonly string[], now: readonly string[]): Line[] {
  const common = commonLengths(old, now);
  const lines: Line[] = [];
  let [a, b] = [0, 0];
  while (a < old.length || b < now.length) {
    if (a < old.length && old[a] === now[b]) {
      lines.push({ sign: ' ', text: old[a] ?? '' });
      a += 1;
      b += 1;
    } else if (
      b >= now.length ||
      (a < old.length && (common[a + 1]?.[b] ?? 0) >= (common[a]?.[b + 1] ?? 0))
    ) {
      lines.push({ sign: '-', text: old[a] ?? '' });
      a += 1;
    } else {
      lines.push({ sign: '+', text: now[b] ?? '' });
      b += 1;
    }
  }
  return lines;
}

/** Returns, for each pair of positions, how many lines the rests of both texts have in common. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const common = Array.from({ length: old.length + 1 }, () =>
    Array.from({ length: now.length + 1 }, () => 0),
  );
  for (let a = old.length - 1; a >= 0; a -= 1)
    for (let b = now.length - 1; b >= 0; b -= 1) {
      const row = common[a] ?? [];
      const below = common[a + 1] ?? [];
      row[b] = old[a] === now[b] ? (below[b + 1] ?? 0) + 1 : Math.max(below[b] ?? 0, row[b + 1] ?? 0);
    }
  return common;
}

/** Yields the changed lines with their context, in parts that begin with the numbers of their first lines. */
function* hunks(lines: readonly Line[]): Generator<string> {
  const shown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  );
  let [oldLine, newLine] = [1, 1];
  for (const [at, { sign, text }] of lines.entries()) {
    if (shown[at] && !shown[at - 1]) {
      const end = shown.indexOf(false, at);
      const part = lines.slice(at, end === -1 ? undefined : end);
      const oldCount = part.filter((each) => each.sign !== '+').length;
      const newCount = part.filter((each) => each.sign !== '-').length;
      yield `@@ -${startOf(oldLine, oldCount)},${oldCount} +${startOf(newLine, newCount)},${newCount} @@`;
    }
    if (shown[at]) yield sign + text;
    if (sign !== '+') oldLine += 1;
    if (sign !== '-') newLine += 1;
  }
}

/** A part without lines of a text stands behind the line before it. */
function startOf(line: number, count: number): number {
  return count === 0 ? line - 1 : line;
}
