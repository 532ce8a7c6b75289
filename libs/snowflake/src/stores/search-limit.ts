/**
 * How many worker IDs one call looks at: all of them up to this count, a stretch of this length beyond. It bounds
 * how long one script keeps the server busy.
 */
export const SEARCH_LIMIT = 4096;
