/** Up to this count of worker IDs a search looks at all of them. */
const SEARCHED_WHOLE = 1024;

/** Beyond it, a search looks at a stretch of this length that begins anywhere. */
const STRETCH = 512;

/**
 * How many worker IDs one call looks at. It bounds how long one script keeps the server busy.
 *
 * Beyond 1,024 worker IDs, "longest offline" means the longest offline of 512 neighbours. If worker IDs went offline
 * in random order, that one has on average been offline for longer than 99.8 % of those offline. Where all 512 are
 * held, the caller is refused although others may be free; it looks elsewhere when it asks again.
 */
export function searchLength(workerCount: number): number {
  return workerCount <= SEARCHED_WHOLE ? workerCount : STRETCH;
}

/** Lua: the same, of `count`. */
export const SEARCH_LENGTH_IN_LUA = `count <= ${SEARCHED_WHOLE} and count or ${STRETCH}`;
