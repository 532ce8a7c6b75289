/** Builds the library. */
import { chmodSync } from 'node:fs';
import { buildTwice } from './build-twice.mjs';

const folder = new URL('../', import.meta.url);
await buildTwice(folder);
// As npm does where it installs the package.
chmodSync(new URL('dist/esm/adapters/prisma/generator/main.js', folder), 0o755);
