/** Finds the candidate whose last part is most like `name`, e.g. `lease.windowMs` for `windowMS`; undefined if none is. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  const [nearest] = candidates
    .map((candidate) => ({ candidate, edits: distanceOf(wanted, lastPart(candidate).toLowerCase()) }))
    .filter(({ edits }) => edits <= Math.max(1, Math.floor(wanted.length / 3)))
    .sort((a, b) => a.edits - b.edits);
  return nearest?.candidate;
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Names that begin alike are one apart. */
function distanceOf(from: string, to: string): number {
  return from.length > 2 && to.startsWith(from) ? Number(from !== to) : editsBetween(from, to);
}

/** Returns Damerau's distance: how many characters to insert, remove, replace or swap. */
export function editsBetween(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 0; row < from.length; row++) {
    const current = [row + 1];
    for (let at = 0; at < to.length; at++) {
      const replaced = last[at]! + Number(from[row] !== to[at]);
      const isSwapped = row > 0 && at > 0 && from[row] === to[at - 1] && from[row - 1] === to[at];
      const swapped = isSwapped ? beforeLast[at - 1]! + 1 : Infinity;
      current.push(Math.min(replaced, swapped, last[at + 1]! + 1, current[at]! + 1));
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length]!;
}
