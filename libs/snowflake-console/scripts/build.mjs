/** Builds the module and the server twice, as ES modules and as CommonJS, beside the page that Vite has built. */
import { buildTwice } from '../../snowflake/scripts/build-twice.mjs';

await buildTwice(new URL('../', import.meta.url), {
  'http/page-files.js': ['require("#page-folder")', '{ PAGE_FOLDER: `${__dirname}/../../page` }'],
});
