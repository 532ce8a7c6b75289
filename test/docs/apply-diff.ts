/** Applies a diff of a page to code: added lines follow removed lines or context. Throws if those are not in the code. */
export function applyDiff(diff: string, code: string): string {
  const hunks = [...diff.matchAll(/((?:^[- ].*\n)+)((?:^\+.*\n)+)/gm)];
  const linesOf = (text: string): string => text.replaceAll(/^./gm, '');
  return hunks.reduce((changed, [, before = '', added = '']) => {
    if (!changed.includes(linesOf(before)))
      throw new Error(`The code lacks these lines:\n${linesOf(before)}`);
    return changed.replace(linesOf(before), linesOf(before.replaceAll(/^-.*\n/gm, '') + added));
  }, code);
}
