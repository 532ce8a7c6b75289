/** For `sort`: oldest first. As numbers, for as text `'10'` comes before `'9'`. */
export function byId(a: { id: string }, b: { id: string }): number {
  return Number(BigInt(a.id) - BigInt(b.id));
}
