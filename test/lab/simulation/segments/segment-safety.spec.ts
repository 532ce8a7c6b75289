import { HAS_ALL_RUNS } from '../../../support/runs.js';
import type { Protection } from './segment-database.js';
import { type SegmentSetup, type SegmentVerdict, simulateSegments } from './simulate-segments.js';
import type { SegmentFaults } from './simulated-stores.js';

const SEEDS = HAS_ALL_RUNS ? 10 : 2;
const FIRST_SEED = Number(process.env['SIMULATION_SEED'] ?? 1);

const NETWORK: SegmentFaults = { lostRequests: 0.1, lostReplies: 0.2, lateReplies: 0.2 };
const RESTARTS: SegmentFaults = { stopEveryMs: 1500 };

async function verdicts(
  faults: SegmentFaults,
  protection: Partial<Protection> = {},
  seeds = SEEDS,
  others: Pick<SegmentSetup, 'databases' | 'usersOfStore'> = {},
): Promise<SegmentVerdict[]> {
  const found: SegmentVerdict[] = [];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + seeds; seed++)
    found.push(await simulateSegments({ seed, faults, protection, ...others }));
  return found;
}

const sumOf = (found: readonly SegmentVerdict[], field: keyof SegmentVerdict): number =>
  found.reduce((sum, verdict) => sum + verdict[field], 0);

describe('simulated processes that claim segments [promise: segments]', () => {
  it('lose no number if they stop', async () => {
    const found = await verdicts(RESTARTS);
    expect(sumOf(found, 'issued')).toBeGreaterThan(300 * SEEDS);
    expect([sumOf(found, 'duplicates'), sumOf(found, 'gaps')]).toEqual([0, 0]);
  });

  it('lose no number if replies are lost or late', async () => {
    const found = await verdicts({ ...NETWORK, ...RESTARTS });
    expect([sumOf(found, 'duplicates'), sumOf(found, 'gaps')]).toEqual([0, 0]);
  });

  it('issue no number twice if they crash, and leave a gap', async () => {
    const found = await verdicts({ ...NETWORK, ...RESTARTS, crashEveryMs: 3000 });
    expect(sumOf(found, 'duplicates')).toBe(0);
    expect(sumOf(found, 'gaps')).toBeGreaterThan(0);
  });

  it('issue no number twice if a standby that missed commits takes over', async () => {
    const found = await verdicts({ ...NETWORK, ...RESTARTS, crashEveryMs: 6000, failOverEveryMs: 5000 });
    expect(sumOf(found, 'failovers')).toBeGreaterThan(0);
    expect(sumOf(found, 'issued')).toBeGreaterThan(300 * SEEDS);
    expect(sumOf(found, 'duplicates')).toBe(0);
  });

  it.each([
    ['a lock', { compares: false }],
    ['comparing writes', { locks: false }],
  ])('processes issue no number twice with %s alone', async (_name, protection) => {
    expect(sumOf(await verdicts({ ...NETWORK, ...RESTARTS }, protection), 'duplicates')).toBe(0);
  });
});

describe('simulated processes with several databases [promise: segments]', () => {
  const SEVERAL = { databases: 3 };
  const OUTAGES: SegmentFaults = { downEveryMs: 1500 };

  it('lose no number if they stop, and replies are lost or late', async () => {
    const found = await verdicts({ ...NETWORK, ...RESTARTS }, {}, SEEDS, SEVERAL);
    expect(sumOf(found, 'issued')).toBeGreaterThan(300 * SEEDS);
    expect([sumOf(found, 'duplicates'), sumOf(found, 'gaps')]).toEqual([0, 0]);
  });

  it.each([1, 2])('issue no number twice, whatever fails, with %d users of a store', async (usersOfStore) => {
    const faults = { ...NETWORK, ...RESTARTS, ...OUTAGES, crashEveryMs: 3000 };
    const found = await verdicts(faults, {}, SEEDS, { ...SEVERAL, usersOfStore });
    expect(sumOf(found, 'issued')).toBeGreaterThan(300 * SEEDS);
    expect(sumOf(found, 'duplicates')).toBe(0);
  });

  it('issue no number twice if a standby of one takes over', async () => {
    const faults = { ...NETWORK, ...RESTARTS, crashEveryMs: 6000, failOverEveryMs: 5000 };
    const found = await verdicts(faults, {}, SEEDS, SEVERAL);
    expect(sumOf(found, 'failovers')).toBeGreaterThan(0);
    expect(sumOf(found, 'duplicates')).toBe(0);
  });

  it('find duplicates if two users of a store get the claims of each other (control)', async () => {
    const found = await verdicts(NETWORK, { ownsClaims: false }, 3, { ...SEVERAL, usersOfStore: 2 });
    expect(sumOf(found, 'duplicates')).toBeGreaterThan(0);
  });
});

describe('the simulation of segments (controls) [promise: segments]', () => {
  it.each<[string, SegmentFaults, Partial<Protection>]>([
    ['without a lock and without comparing writes', RESTARTS, { locks: false, compares: false }],
    ['if a rest is taken back twice', { ...NETWORK, ...RESTARTS }, { takesRestsOnce: false }],
    ['if nobody looks at the history', { failOverEveryMs: 2000, stopEveryMs: 1000 }, { seesHistory: false }],
  ])('finds duplicates %s (control)', async (_name, faults, protection) => {
    expect(sumOf(await verdicts(faults, protection, 3), 'duplicates')).toBeGreaterThan(0);
  });

  it('repeats a run exactly', async () => {
    const setup = { seed: 7, faults: { ...NETWORK, ...RESTARTS, crashEveryMs: 3000 } };
    expect(await simulateSegments(setup)).toEqual(await simulateSegments(setup));
  });
});
