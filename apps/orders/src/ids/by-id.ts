/** Compares for `sort`, oldest first. Compares numbers, because the string `'10'` sorts before `'9'`. */
export function byId(a: { id: string }, b: { id: string }): number {
  return Number(BigInt(a.id) - BigInt(b.id));
}
