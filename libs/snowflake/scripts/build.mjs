/** Builds the library. */
import { chmodSync, copyFileSync } from 'node:fs';
import { buildTwice } from './build-twice.mjs';

const folder = new URL('../', import.meta.url);
await buildTwice(folder);
// As npm does where it installs the package.
chmodSync(new URL('dist/esm/adapters/prisma/generator/main.js', folder), 0o755);
// What `nest add` reads. It requires the schematic, so only the CommonJS build has them.
for (const file of ['collection.json', 'schema.json']) {
  const path = `setup/schematic/${file}`;
  copyFileSync(new URL(`src/${path}`, folder), new URL(`dist/cjs/${path}`, folder));
}
