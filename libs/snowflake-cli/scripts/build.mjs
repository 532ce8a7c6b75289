/** Builds the program. */
import { chmodSync } from 'node:fs';
import { buildOnce } from '../../snowflake/scripts/build-twice.mjs';

const folder = new URL('../', import.meta.url);
await buildOnce(folder);
// As npm does where it installs the package.
chmodSync(new URL('dist/main.js', folder), 0o755);
