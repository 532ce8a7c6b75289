// `npm run docs:reference` writes the pages of the reference that are made from the code. With `--check` it writes nothing, and
// fails if one of them is not current.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../markdown.js';
import { referencePages } from './pages.js';

for (const { path, text } of await referencePages()) {
  const file = join(ROOT, path);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${path} is not current: npm run docs:reference\n`);
    process.exitCode = 1;
  }
}
