import { type Job, runJobs } from './job-pool.js';
import { KEY_VALUE_REMOVALS, REMOVALS } from './protocols/index.js';
import { Tally } from './tally.js';

/** Which class of faults shows that a mechanism is needed. Seeds are fixed: what is shown once is always shown. */
const DUPLICATES: readonly (readonly [protocol: string, fault: string])[] = [
  ['article as printed', 'wipes'],
  ['article repaired', 'pauses'],
  ['article repaired', 'failover'],
  ['expiring key', 'restarts'],
  ['expiring key', 'failover'],
  ['without fencing token check', 'pauses'],
  ['constant fencing token', 'copies'],
  ['one grant for all copies', 'copies'],
  ['nonces from memory', 'copies'],
  ['ended lease renewed', 'failover'],
  ['without gap maxSkew', 'failover'],
  ['without from', 'restarts'],
  ['without grantsAfter', 'failover'],
  ['without history', 'failover'],
  ['without limit', 'partitions'],
  ['from not in fencing token', 'stuck-claims'],
  ['without minReplicas', 'split-5-min'],
  ['key-value without conditions', 'restarts'],
];
const MOST_SEEDS = 40;

/** Mechanisms that are there for liveness only: without them more attempts fail, but no ID is made twice. */
const LIVENESS: readonly (readonly [protocol: string, fault: string])[] = [
  ['claim not carried', 'wipes'],
  ['nonce not repeated', 'slow-network'],
];
const LIVENESS_SEEDS = 5;

const tallies = new Map<string, Tally>();

function tallyOf(protocol: string, fault: string): Tally {
  const key = `${protocol} under ${fault}`;
  const tally = tallies.get(key) ?? new Tally();
  tallies.set(key, tally);
  return tally;
}

/** Each control until it has shown its duplicates, then those whose share of failed attempts is compared. */
function* jobs(): Generator<Job> {
  for (const [protocol, fault] of DUPLICATES) {
    for (let seed = 1; seed <= MOST_SEEDS && tallyOf(protocol, fault).sum.duplicates === 0; seed++) {
      yield { seed, fault, protocol };
    }
  }
  for (const [without, fault] of LIVENESS) {
    for (const protocol of ['ours', without]) {
      for (let seed = 1; seed <= LIVENESS_SEEDS; seed++) yield { seed, fault, protocol };
    }
  }
}

beforeAll(async () => {
  await runJobs(jobs(), 1, ({ protocol, fault }, outcome) => tallyOf(protocol, fault).add(outcome));
}, 900_000);

it.each(DUPLICATES)('the simulated world finds duplicates of "%s" under %s (control)', (protocol, fault) => {
  expect(tallyOf(protocol, fault).sum.duplicates).toBeGreaterThan(0);
});

it.each(LIVENESS)('"%s" costs availability under %s, but generates no ID twice', (protocol, fault) => {
  const { sum, seeds, failedShare } = tallyOf(protocol, fault);
  expect(seeds).toBe(LIVENESS_SEEDS);
  expect(sum.duplicates + sum.sharedTicks).toBe(0);
  expect(failedShare).toBeGreaterThan(tallyOf('ours', fault).failedShare);
});

it('every mechanism that safety rests on is shown to be needed', () => {
  const shown = new Set([...DUPLICATES, ...LIVENESS].map(([protocol]) => protocol));
  expect([...REMOVALS, ...KEY_VALUE_REMOVALS].filter(({ name }) => !shown.has(name))).toEqual([]);
});
