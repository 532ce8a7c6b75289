import { MarkdownPage } from './markdown.js';
import { referencePages } from './reference/pages.js';

const PATHS = ['docs/reference/options.md', 'docs/reference/errors.md'];

describe('the generated pages of the reference', () => {
  it('are current', async () => {
    const pages = await referencePages();
    const stale = pages.filter(({ path, text }) => MarkdownPage.read(path).text !== text);
    expect(stale.map(({ path }) => `${path}: run npm run docs:reference`)).toEqual([]);
    expect(pages.map(({ path }) => path)).toEqual(PATHS);
  });
});
