/** An ID as the serializer takes it: without a bigint or a string for each, which would cost more than making the ID. */
export interface Fixed64 {
  readonly low: number;
  readonly high: number;
}

/** One ID, and its halves. A view of each batch would cost more, because V8 first moves the memory of a small one. */
const ID = new BigUint64Array(1);
const HALVES = new Uint32Array(ID.buffer);
const LOW_HALF = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 0 : 1;

/** Returns the halves of IDs. */
export function halvesOf(ids: BigUint64Array): Fixed64[] {
  const halves: Fixed64[] = [];
  for (const id of ids) {
    ID[0] = id;
    halves.push({ low: HALVES[LOW_HALF] ?? 0, high: HALVES[1 - LOW_HALF] ?? 0 });
  }
  return halves;
}
