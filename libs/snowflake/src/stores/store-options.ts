/**
 * The key of the method by which a store shows its options. Only the command line calls it, because options hold passwords. The
 * symbol is registered, because the ES module and the CommonJS build of this library must agree on it.
 */
export const STORE_OPTIONS = Symbol.for('nestjs-snowflake.storeOptions');

/** A store that shows how it was made. */
export interface ShowsOptions<Kind extends string = string, Options = unknown> {
  [STORE_OPTIONS](): { readonly kind: Kind; readonly options: Options };
}

/** Returns whether a store shows its options. A store of another package doesn't. */
export function showsOptions(store: object): store is ShowsOptions {
  return STORE_OPTIONS in store && typeof store[STORE_OPTIONS] === 'function';
}
