import { runs } from '../../support/runs.js';
import { type Job, runJobs } from './job-pool.js';
import { problemOf, Tally } from './tally.js';

const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? Math.floor(Date.now() / 1000) % 1_000_000_000);
/** All that happens to services, and of the rest what two more ways for a call can change. */
const SEEDS_OF: Readonly<Record<string, number>> = {
  services: runs(40),
  'stuck-calls': runs(5),
  failover: runs(5),
  'split-5-min': runs(5),
  mixed: runs(10),
};
const FAULTS = Object.keys(SEEDS_OF);

describe(`the protocol through two services, from SIMULATION_SEED=${FIRST_SEED} [promise: unique]`, () => {
  const tallies = new Map(FAULTS.map((fault) => [fault, new Tally()]));
  const problems: string[] = [];

  function* jobs(): Generator<Job> {
    for (const [fault, seeds] of Object.entries(SEEDS_OF)) {
      for (let index = 0; index < seeds; index++) {
        yield { seed: FIRST_SEED + index, fault, protocol: 'ours through services' };
      }
    }
  }

  beforeAll(async () => {
    await runJobs(jobs(), 1, ({ seed, fault, protocol }, outcome) => {
      tallies.get(fault)?.add(outcome);
      const problem = problemOf(outcome.verdict);
      if (!problem) return;
      const options = `--fault ${fault} --protocol '${protocol}' --seed ${seed} --trace`;
      problems.push(`${fault}: ${problem}; replay: npm run simulate -- ${options}`);
    });
  }, 600_000);

  it.each(FAULTS)('generates no ID twice through services and goes on afterwards: %s', (fault) => {
    expect(problems.filter((problem) => problem.startsWith(`${fault}:`))).toEqual([]);
    expect(tallies.get(fault)?.seeds).toBe(SEEDS_OF[fault]);
    expect(tallies.get(fault)?.sum.ids).toBeGreaterThan(1000);
  });
});

describe('the protocol through two services, without the name of the call [promise: unique]', () => {
  it('generates IDs twice if a process takes the response to another call (control)', async () => {
    const tally = new Tally();
    function* jobs(): Generator<Job> {
      for (let seed = 1; seed <= 10 && tally.sum.duplicates === 0; seed++) {
        yield { seed, fault: 'services', protocol: 'any response taken' };
      }
    }
    await runJobs(jobs(), 1, (_, outcome) => tally.add(outcome));
    expect(tally.sum.duplicates).toBeGreaterThan(0);
  }, 120_000);
});
