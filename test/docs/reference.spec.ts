import { MarkdownPage } from './markdown.js';
import { optionTable } from './reference/option-table.js';
import { referencePages } from './reference/pages.js';

const PATHS = ['docs/reference/options.md', 'docs/reference/errors.md'];

describe('the generated pages of the reference', () => {
  it('are current', async () => {
    const pages = await referencePages();
    const stale = pages.filter(({ path, text }) => MarkdownPage.read(path).text !== text);
    expect(stale.map(({ path }) => `${path}: run npm run docs:reference`)).toEqual([]);
    expect(pages.map(({ path }) => path)).toEqual(PATHS);
  });

  it('have no placeholder left', () => {
    for (const path of PATHS) {
      expect(MarkdownPage.read(path).text.match(/^<!-- (?!Written).*/gm)).toBeNull();
    }
  });

  const doc = { summary: 'How long.', bounds: '1 to 9', defaultValue: '`5`', rest: ['More.'] };
  const tableWith = (changes: object, isRequired = false): string =>
    optionTable({
      own: [{ name: 'ms', isRequired, type: { text: 'number' }, doc: { ...doc, ...changes } }],
      foreign: [],
    });

  it('show an option with its default and bounds, and the rest of its TSDoc below the table', () => {
    const page = new MarkdownPage(`${tableWith({ summary: 'This | that.' })}\n`);
    expect(page.tables[0]?.rows).toEqual([['`ms`', '`number`', '`5`', '1 to 9', 'This \\| that']]);
    expect(page.text).toContain('- `ms`: More.');
    expect(tableWith({ defaultValue: undefined }, true)).toContain('required');
  });

  it.each([
    ['default', { defaultValue: undefined }, '@defaultValue'],
    ['bounds', { bounds: undefined }, 'Bounds'],
    ['description', { summary: '' }, 'TSDoc'],
  ])('are not written while a number has no %s', (_what, changes, message) => {
    expect(() => tableWith(changes)).toThrow(message);
  });
});
