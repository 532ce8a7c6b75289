/**
 * What this copy of the library remembers in this process. Each memory belongs to an object and ends with it. It isn't shared
 * with other processes, worker threads, copies of the library, or test files of Jest, which load the library anew.
 */
const memories = new WeakMap<object, Map<unknown, object>>();

/** Returns the memory of this kind that belongs to `owner`; makes an empty one at the first call. */
export function memoryOf<Memory extends object>(owner: object, Kind: new () => Memory): Memory {
  const kinds = memories.get(owner) ?? new Map<unknown, object>();
  memories.set(owner, kinds);
  const known = kinds.get(Kind);
  if (known instanceof Kind) return known;
  const made = new Kind();
  kinds.set(Kind, made);
  return made;
}
