/**
 * Searches IDs for those that were given out more than once.
 *
 * @returns each repeated ID, as often as it came again; empty when all are distinct
 */
export function duplicatesIn(parts: readonly ArrayLike<bigint>[]): bigint[] {
  const all = new BigUint64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return duplicatesInSorted(all.sort());
}

/** The same in IDs that stand in order already, without a copy of them. */
export function duplicatesInSorted(ids: BigUint64Array): bigint[] {
  const duplicates: bigint[] = [];
  for (let index = 1; index < ids.length; index++) {
    const id = ids[index]!;
    if (id === ids[index - 1]) duplicates.push(id);
  }
  return duplicates;
}

/** Position of the first ID that is not above the one before it; -1 when they ascend strictly. */
export function firstDescent(ids: ArrayLike<bigint>): number {
  for (let index = 1; index < ids.length; index++) {
    if (ids[index]! <= ids[index - 1]!) return index;
  }
  return -1;
}
