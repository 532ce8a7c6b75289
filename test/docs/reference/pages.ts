import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';
import { ROOT } from '../markdown.js';
import { SECTIONS, titleOf } from '../../../site/sidebar.js';
import { EntryPointExports } from './entry-points.js';
import { errorsPage } from './errors-page.js';
import { machinePicture } from './machine-picture.js';
import { OPTION_PAGES, optionsPage } from './options-page.js';
import { filled, template } from './template.js';

const { singleQuote, printWidth } = JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8')) as {
  readonly singleQuote: boolean;
  readonly printWidth: number;
};

/** A page that is made from the sources of the library. */
export interface ReferencePage {
  /** Its path in the repository. */
  readonly path: string;
  readonly text: string;
}

/** Makes the pages of options and errors, the index of all pages, and the picture of the lease machine. */
export async function referencePages(exports = new EntryPointExports()): Promise<ReferencePage[]> {
  const pages = [
    ...OPTION_PAGES.map((page) => ({ path: `docs/reference/${page}.md`, text: optionsPage(exports, page) })),
    { path: 'docs/reference/errors.md', text: errorsPage(exports) },
    { path: 'docs/index.md', text: filled(template('index'), { pages: indexOfPages }) },
  ];
  const formattedPages = pages.map(async ({ path, text }) => ({ path, text: await formatted(path, text) }));
  return [
    ...(await Promise.all(formattedPages)),
    { path: 'docs/assets/lease-machine.svg', text: machinePicture() },
  ];
}

/** The pages in the order of the sidebar. */
function indexOfPages(): string {
  const docs = join(ROOT, 'docs');
  return SECTIONS.map(
    ({ text, pages }) =>
      `- **${text}:** ${pages.map((page) => `[${titleOf(docs, page)}](${page}.md)`).join(', ')}`,
  ).join('\n');
}

async function formatted(path: string, text: string): Promise<string> {
  const { code, errors } = await format(path, text, { singleQuote, printWidth, proseWrap: 'always' });
  for (const { message } of errors) throw new Error(`${path}: ${message}`);
  return code;
}
