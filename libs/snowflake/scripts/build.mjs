/** Builds the library. */
import { buildTwice } from './build-twice.mjs';

await buildTwice(new URL('../', import.meta.url));
