/** Up to this number of worker IDs, a search reads all of them. */
const SEARCHED_WHOLE = 1024;

/** Beyond it, a search reads a stretch of this length that begins at a random worker ID. */
const STRETCH = 512;

/**
 * Returns how many worker IDs one call reads. It bounds how long one script blocks the server.
 *
 * Beyond 1,024 worker IDs, "longest offline" means the longest offline of 512 neighbors. If worker IDs went offline
 * in random order, that one has on average been offline for longer than 99.8 % of those offline. If all 512 are held, the
 * call is refused although others may be free; the next call searches elsewhere.
 */
export function searchLength(workerCount: number): number {
  return workerCount <= SEARCHED_WHOLE ? workerCount : STRETCH;
}

/** Lua: the same calculation, for `count`. */
export const SEARCH_LENGTH_IN_LUA = `count <= ${SEARCHED_WHOLE} and count or ${STRETCH}`;
