import { type Job, runJobs } from './job-pool.js';
import { Tally } from './tally.js';

/** Faults that the theorem does not cover (docs/explanation/safety-stores.md). They lead to duplicates. */
const CLASSES = ['split-window', 'split-at-once'] as const;
const MOST_SEEDS = 60;

const tallies = new Map(CLASSES.map((fault) => [fault as string, new Tally()]));

function* jobs(): Generator<Job> {
  for (const fault of CLASSES) {
    const { sum } = tallies.get(fault)!;
    for (let seed = 1; seed <= MOST_SEEDS && sum.duplicates === 0; seed++) {
      yield { seed, fault, protocol: 'ours' };
    }
  }
}

beforeAll(async () => {
  await runJobs(jobs(), 1, ({ fault }, outcome) => tallies.get(fault)?.add(outcome));
}, 600_000);

// Controls of the conditions of the theorem: seeds are fixed, so what is shown once is always shown.
it.each(CLASSES)('the simulated world finds duplicates under %s, which the promise excludes', (fault) => {
  expect(tallies.get(fault)?.sum.duplicates).toBeGreaterThan(0);
});
