/**
 * The spec files of a worker share the packages that it has loaded, since loading Nest and an ORM for each of them costs more than
 * most tests do.
 */
export const sharedWorkers = { isolate: false, setupFiles: 'test/support/each-file.mjs' };
