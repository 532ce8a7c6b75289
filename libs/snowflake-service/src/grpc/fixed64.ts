/** An ID as the serializer takes it: without a bigint or a string for each, which would cost more than generating the ID. */
export interface Fixed64 {
  readonly low: number;
  readonly high: number;
}

const LOW_HALF = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 0 : 1;

/** Returns the halves of IDs. */
export function halvesOf(ids: BigUint64Array): Fixed64[] {
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
  const ints: Fixed64[] = [];
  // A loop over the IDs themselves would make each of them a bigint.
  for (let at = 0; at < halves.length; at += 2)
    ints.push({ low: halves[at + LOW_HALF] ?? 0, high: halves[at + 1 - LOW_HALF] ?? 0 });
  return ints;
}
