import { Crowd, type CrowdRules, OURS } from './crowd.js';

const NEWCOMERS = 300;
const HOLDERS = 20;
/** The server works for 14 ms on each, so 300 take 4.2 s. Some of that time goes to renewals. */
const ENOUGH_MS = 6000;
const LONG_MS = 30_000;

const BEFORE: CrowdRules = { ...OURS, waitsInLine: false, backsOff: false };

async function run(roundTripMs: number, rules: CrowdRules, forMs: number) {
  const crowd = new Crowd(roundTripMs, rules);
  const holders = crowd.start(HOLDERS);
  // They renew within the first seconds of the crowd.
  await crowd.advance(8500);
  expect(holders.started()).toBe(HOLDERS);
  const newcomers = crowd.start(NEWCOMERS);
  await crowd.advance(forMs);
  return { holders, newcomers };
}

describe('a crowd that starts at once on a busy server', () => {
  it.each([0, 2, 10])(
    'gets its leases as fast as the server works, and holders keep theirs, at a round trip of %i ms',
    async (roundTripMs) => {
      const { holders, newcomers } = await run(roundTripMs, OURS, ENOUGH_MS);
      expect(newcomers.started()).toBe(NEWCOMERS);
      expect([holders.started(), holders.lost(), holders.failed()]).toEqual([HOLDERS, 0, 0]);
    },
    60_000,
  );

  it.each([0, 2, 10])(
    'starts hardly anybody if calls give up their place and retries are constant, at a round trip of %i ms (control)',
    async (roundTripMs) => {
      const { newcomers } = await run(roundTripMs, BEFORE, LONG_MS);
      expect(newcomers.started()).toBeLessThan(NEWCOMERS / 2);
    },
    60_000,
  );

  it('starts more if retries back off, though calls give up their place', async () => {
    const { newcomers } = await run(2, { ...BEFORE, backsOff: true }, LONG_MS);
    expect(newcomers.started()).toBeGreaterThan(NEWCOMERS / 2);
  }, 60_000);

  it.each([0, 2, 10])(
    'starts fewer if each holds the lock while it is busy, at a round trip of %i ms (control)',
    async (roundTripMs) => {
      const { newcomers } = await run(roundTripMs, { ...OURS, locksBriefly: false }, ENOUGH_MS);
      expect(newcomers.started()).toBeLessThan(NEWCOMERS);
    },
    60_000,
  );

  it('makes renewals fail that wait in the line of newcomers (control)', async () => {
    const { holders } = await run(2, { ...OURS, holdersFirst: false }, ENOUGH_MS);
    expect(holders.failed()).toBeGreaterThan(0);
  }, 60_000);
});
