import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOORS } from '../packaging/doors.js';
import { LibraryTypes } from './library-types.js';
import { codeIn, MarkdownPage, ROOT } from './markdown.js';
import { PageCode } from './page-code.js';

const code = new PageCode('docs/reference/id-maker.md');
const types = new LibraryTypes('nestjs-snowflake/standalone');
const coreTypes = new LibraryTypes('nestjs-snowflake/core');

afterAll(() => code.remove());

/** The code in the first column of a table. */
function firstColumn(heading: string): string[] {
  const [table] = code.page.tablesUnder(heading);
  return (table?.rows ?? []).map(([cell = '']) => codeIn(cell)[0] ?? '');
}

describe('the page of the ID maker', () => {
  it('has every state, and no other', () => {
    expect(firstColumn('States').sort()).toEqual(types.textsOf('LeaseState').sort());
  });

  it.each([
    ['Status', types.membersOf('SnowflakeStatus')],
    ['Fields of an ID', coreTypes.membersOf('DecodedFields')],
  ])('has every field of "%s", and no other', (heading, fields) => {
    expect(firstColumn(heading).sort()).toEqual(fields.toSorted());
  });

  it('has every entry point, each with the packages that it needs', () => {
    const [table] = code.page.tablesUnder('Entry points');
    const said = table?.rows.map(([door = '', , needs = '']) => [codeIn(door)[0], codeIn(needs)]);
    expect(said?.toSorted()).toEqual(DOORS.map(({ door, peers }) => [door, peers]).toSorted());
    const { exports } = JSON.parse(readFileSync(join(ROOT, 'libs/snowflake/package.json'), 'utf8')) as {
      exports: object;
    };
    const doors = Object.keys(exports).filter((key) => key !== './package.json');
    expect(firstColumn('Entry points').sort()).toEqual(
      doors.map((key) => key.replace('.', 'nestjs-snowflake')).sort(),
    );
  });

  it('is linked by the README, which names every entry point too', () => {
    const row = MarkdownPage.read('README.md')
      .text.split('\n')
      .find((line) => line.startsWith('| [Entry points]'));
    const [main, ...others] = codeIn(row ?? '');
    expect([main, ...others.map((name) => `${main}${name}`)].sort()).toEqual(
      DOORS.map(({ door }) => door).sort(),
    );
  });

  it('makes IDs without Nest', async () => {
    const made = await code.import<{ id: string; timestamp: Date; workerId: number; sequence: number }>(
      'make-ids.ts',
    );
    expect(BigInt(made.id)).toBeGreaterThan(2n ** 53n);
    expect(made).toMatchObject({ timestamp: expect.any(Date), workerId: 7, sequence: 0 });
    expect(code.notRun()).toEqual([]);
  });
});
