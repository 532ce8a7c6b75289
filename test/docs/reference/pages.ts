import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { ROOT } from '../markdown.js';
import { EntryPointExports } from './entry-points.js';
import { errorsPage } from './errors-page.js';
import { optionsPage } from './options-page.js';

/** A page that is made from the sources of the library. */
export interface ReferencePage {
  /** Its path in the repository. */
  readonly path: string;
  readonly text: string;
}

/** Makes the pages of options and errors. */
export async function referencePages(exports = new EntryPointExports()): Promise<ReferencePage[]> {
  const pages = [
    { path: 'docs/reference/options.md', text: optionsPage(exports) },
    { path: 'docs/reference/errors.md', text: errorsPage(exports) },
  ];
  return Promise.all(pages.map(async ({ path, text }) => ({ path, text: await formatted(path, text) })));
}

async function formatted(path: string, text: string): Promise<string> {
  const filepath = join(ROOT, path);
  return format(text, { ...(await resolveConfig(filepath)), filepath, proseWrap: 'always' });
}
