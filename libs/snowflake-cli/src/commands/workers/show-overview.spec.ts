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

  it('shows nothing of it if nobody waits, or if the store cannot tell', () => {
    for (const waiting of [{ waiting: 0 }, {}])
      expect(overviewText('a store', overviewWith(waiting), terminal)).not.toContain('waiting');
  });
});
