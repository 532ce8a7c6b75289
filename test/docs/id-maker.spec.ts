import { ENTRY_POINTS } from '../packaging/entry-points.js';
import { codeIn } from './markdown.js';
import { PageCode } from './page-code.js';
import { PublicApi } from './public-api.js';

const code = new PageCode('docs/reference/id-maker.md');
const api = new PublicApi('standalone');
const coreApi = new PublicApi('core');
/** The packages that the page calls "Nest". */
const NEST = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'];

/** The code in the first column of a table. */
function firstColumn(heading: string): string[] {
  const [table] = code.page.tablesUnder(heading);
  return (table?.rows ?? []).map(([cell = '']) => codeIn(cell)[0] ?? '');
}

describe('the page of the ID maker', () => {
  it('lists every state, and no other', () => {
    expect(firstColumn('States').sort()).toEqual(api.textsOf('LeaseState').sort());
  });

  it.each([
    ['Status', api.membersOf('SnowflakeStatus')],
    ['Fields of an ID', coreApi.membersOf('DecodedFields')],
  ])('lists every field of "%s", and no other', (heading, fields) => {
    expect(firstColumn(heading).sort()).toEqual(fields.toSorted());
  });

  it('lists every public member of the ID maker, and no other', () => {
    const [table] = code.page.tablesUnder('Members');
    const named = table?.rows.flatMap(([members = '']) =>
      codeIn(members).map((member) => member.replace(/\(.*\)$/, '')),
    );
    expect(named?.sort()).toEqual(api.membersOf('SnowflakeIdMaker').sort());
  });

  it('lists every entry point, each with the packages that it needs', () => {
    const [table] = code.page.tablesUnder('Entry points');
    const listed = table?.rows.map(([entryPoint = '', , needs = '']) => [
      codeIn(entryPoint)[0],
      [...(needs.startsWith('Nest') ? NEST : []), ...codeIn(needs)].sort(),
    ]);
    expect(listed?.toSorted()).toEqual(
      ENTRY_POINTS.map(({ entryPoint, peers }) => [entryPoint, peers.toSorted()]).toSorted(),
    );
  });

  it('shows a script that generates IDs without Nest', async () => {
    const made = await code.import<{ id: string; timestamp: Date; workerId: number; sequence: number }>(
      'generate-ids.ts',
    );
    expect(BigInt(made.id)).toBeGreaterThan(2n ** 53n);
    expect(made).toMatchObject({ timestamp: expect.any(Date), workerId: expect.any(Number), sequence: 0 });
    expect(code.notRun()).toEqual([]);
  });
});
