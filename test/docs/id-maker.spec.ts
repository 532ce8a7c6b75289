import { ENTRY_POINTS } from '../packaging/entry-points.js';
import { codeIn } from './markdown.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';
import { PublicApi } from './public-api.js';

const code = new PageCode('docs/reference/id-maker.md');
const api = new PublicApi('standalone');
const coreApi = new PublicApi('core');
/** The packages that the page calls "Nest". */
const NEST = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'];

describe('the page of the ID maker', () => {
  it.each([
    ['States', api.textsOf('LeaseState')],
    ['Status', api.membersOf('SnowflakeStatus')],
    ['Fields of an ID', coreApi.membersOf('DecodedFields')],
  ])('lists everything in "%s", and nothing else', (heading, known) => {
    expect(code.page.codesUnder(heading).sort()).toEqual(known.toSorted());
  });

  it('lists every public member of the ID maker, and no other', () => {
    const named = code.page.codesUnder('Members').map((member) => member.replace(/\(.*\)$/, ''));
    expect(named.sort()).toEqual(api.membersOf('SnowflakeIdMaker').sort());
  });

  it('lists every entry point, each with the packages that it needs', () => {
    const listed = code.page
      .rowsUnder('Entry points')
      .map(([entryPoint = '', , needs = '']) => [
        codeIn(entryPoint)[0],
        [...(needs.startsWith('Nest') ? NEST : []), ...codeIn(needs)].sort(),
      ]);
    expect(listed.toSorted()).toEqual(
      ENTRY_POINTS.map(({ entryPoint, peers }) => [entryPoint, peers.toSorted()]).toSorted(),
    );
  });

  it('shows a script that generates IDs without Nest', async () => {
    const made = await code.import<{ id: string; timestamp: Date; workerId: number; sequence: number }>(
      'generate-ids.ts',
    );
    expect(BigInt(made.id)).toBeGreaterThan(2n ** 53n);
    expect(made).toMatchObject({ timestamp: expect.any(Date), workerId: expect.any(Number), sequence: 0 });
  });
});

testThatAllHaveRun(code);
