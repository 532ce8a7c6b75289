/** Builds the program. */
import { buildOnce } from '../../snowflake/scripts/build-twice.mjs';

await buildOnce(new URL('../', import.meta.url));
