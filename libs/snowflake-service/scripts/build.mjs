/** Builds the package. */
import { writeFileSync } from 'node:fs';
import { buildTwice } from '../../snowflake/scripts/build-twice.mjs';

const folder = new URL('../', import.meta.url);

// Node looks for `#proto-folder` in the nearest package.json, and allows no target above it.
await buildTwice(folder, { imports: { '#proto-folder': './proto-folder.cjs' } });
writeFileSync(
  new URL('dist/cjs/proto-folder.cjs', folder),
  'exports.PROTO_FOLDER = `${__dirname}/../../proto`;\n',
);
