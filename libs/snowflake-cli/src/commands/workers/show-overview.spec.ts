import { registryOverview } from 'nestjs-snowflake/store';
import { overviewJson, overviewText } from './show-overview.js';

const overviewWith = (waiting: object) =>
  registryOverview({ storeNowMs: 1_000_000, layout: 'layout', rows: [], ...waiting });
const terminal = { style: (_: unknown, text: string) => text } as unknown as Parameters<
  typeof overviewText
>[2];

describe('the overview of a namespace whose processes wait', () => {
  it.each([
    [{ waiting: 12, longestWaitMs: 8_400 }, '12 processes wait for a worker ID, the first for 8 s'],
    [{ waiting: 1 }, '1 process waits for a worker ID'],
  ])('shows how many wait and for how long: %j', (waiting, text) => {
    const overview = overviewWith(waiting);
    expect(overviewText('a store', overview, terminal)).toContain(`waiting       ${text}\n`);
    expect(overviewJson('a store', overview)).toMatchObject(waiting);
  });

  it('shows a worker ID of imports as no holder', () => {
    const row = { workerId: 9, reservedUntilMs: 999_999_999_999_999, fencingToken: '0:backfill@5000~7~' };
    const overview = overviewWith({ rows: [row] });
    const text = overviewText('a store', overview, terminal);
    expect(text).toContain('0 held, 0 offline, 0 released, 1 reserved for imports\n');
    expect(text).toMatch(/^9 +reserved +imports up to 1970-01-01T00:00:05.000Z/m);
    expect(overviewJson('a store', overview)).toMatchObject({
      workerIds: { held: 0, reserved: 1 },
      workers: [{ state: 'reserved', claimedUntil: '1970-01-01T00:00:05.000Z' }],
    });
    expect(overviewText('a store', overviewWith({}), terminal)).not.toContain('imports');
  });

  it('names the processes whose clocks are wrong, and how wrong they are', () => {
    const row = (workerId: number, attempt: string) => ({
      workerId,
      reservedUntilMs: 1_060_000,
      fencingToken: `ab:web-${workerId}@1~1~cd${attempt}`,
    });
    const overview = overviewWith({ rows: [row(0, '+480000'), row(1, '-5000'), row(2, '')] });
    const text = overviewText('a store', overview, terminal);
    const shown = ['web-0', 'web-1', 'web-2'].map((name) =>
      text.split('\n').find((line) => line.includes(name)),
    );
    expect(shown).toEqual([
      expect.stringMatching(/ 8 min behind$/),
      expect.stringMatching(/ 5 s ahead$/),
      expect.not.stringMatching(/behind|ahead/),
    ]);
    const workers = [{ clockCorrectionMs: 480_000 }, { clockCorrectionMs: -5000 }, { holder: 'web-2' }];
    expect(overviewJson('a store', overview)).toMatchObject({ workers });
    expect(overviewText('a store', overviewWith({ rows: [row(2, '')] }), terminal)).not.toContain('CLOCK');
  });

  it('shows nothing of it if nobody waits, or if the store cannot tell', () => {
    for (const waiting of [{ waiting: 0 }, {}])
      expect(overviewText('a store', overviewWith(waiting), terminal)).not.toContain('waiting');
  });
});
