/** Builds the module and the server twice, as ES modules and as CommonJS, beside the page that Vite has built. */
import { writeFileSync } from 'node:fs';
import { buildTwice } from '../../snowflake/scripts/build-twice.mjs';

const folder = new URL('../', import.meta.url);

// Node looks for `#page-folder` in the nearest package.json, and allows no target above it.
await buildTwice(folder, { imports: { '#page-folder': './page-folder.cjs' } });
writeFileSync(new URL('dist/cjs/page-folder.cjs', folder), 'exports.PAGE_FOLDER = `${__dirname}/../page`;\n');
