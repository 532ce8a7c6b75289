/** Builds the package. */
import { buildTwice } from '../../snowflake/scripts/build-twice.mjs';

await buildTwice(new URL('../', import.meta.url));
