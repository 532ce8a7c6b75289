import { runs } from '../../support/runs.js';
import { type Job, runJobs } from './job-pool.js';
import { FAULT_CLASSES, faultClass } from './faults.js';
import { ours } from './protocols/index.js';
import { simulate } from './simulation.js';
import { problemOf, Tally } from './tally.js';

/** Other seeds at each run, so that more and more of them are tried; give the printed one to repeat a run. */
const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? Math.floor(Date.now() / 1000) % 1_000_000_000);

const SEEDS = runs(14);
/** The registry of keys and values takes the same decisions, with other calls in between. */
const KEY_VALUE_SEEDS = runs(4);
const SEEDS_OF: Readonly<Record<string, number>> = { mixed: runs(50), 'tight-pool': runs(6) };

describe(`the protocol in the simulated world, from SIMULATION_SEED=${FIRST_SEED} [promise: unique]`, () => {
  const seedsOf = ({ protocol, fault }: Omit<Job, 'seed'>): number =>
    protocol === 'ours' ? (SEEDS_OF[fault] ?? SEEDS) : KEY_VALUE_SEEDS;
  const kinds = ['ours', 'key-value'].flatMap((protocol) =>
    FAULT_CLASSES.map(({ name: fault }) => ({ protocol, fault })),
  );
  const keyOf = ({ protocol, fault }: Omit<Job, 'seed'>): string => `${protocol}, ${fault}`;
  const tallies = new Map(kinds.map((kind) => [keyOf(kind), new Tally()]));
  const problems: string[] = [];

  function* jobs(): Generator<Job> {
    for (const kind of kinds) {
      for (let index = 0; index < seedsOf(kind); index++) yield { seed: FIRST_SEED + index, ...kind };
    }
  }

  beforeAll(async () => {
    process.stderr.write(`simulation: SIMULATION_SEED=${FIRST_SEED}\n`);
    await runJobs(jobs(), 1, ({ seed, fault, protocol }, outcome) => {
      tallies.get(keyOf({ protocol, fault }))?.add(outcome);
      const problem = problemOf(outcome.verdict);
      if (!problem) return;
      problems.push(
        `${keyOf({ protocol, fault })}: ${problem}; replay: npm run simulate -- --protocol ${protocol} --fault ${fault} --seed ${seed} --trace`,
      );
    });
  }, 900_000);

  it.each(kinds)('generates no ID twice and goes on afterwards: $protocol, $fault', (kind) => {
    expect(problems.filter((problem) => problem.startsWith(`${keyOf(kind)}:`))).toEqual([]);
    expect(tallies.get(keyOf(kind))?.seeds).toBe(seedsOf(kind));
    expect(tallies.get(keyOf(kind))?.sum.ids).toBeGreaterThan(1000);
  });
});

describe('a simulation', () => {
  async function traceOf(seed: number, fault: string): Promise<string> {
    const lines: string[] = [];
    await simulate({ seed, fault: faultClass(fault), protocol: ours(), trace: (line) => lines.push(line) });
    return lines.join('\n');
  }

  it('a simulation gives the same trace when it runs again', async () => {
    for (const fault of ['stuck-claims', 'split-5-min']) {
      const trace = await traceOf(7, fault);
      expect(trace.length).toBeGreaterThan(10_000);
      expect((await traceOf(7, fault)) === trace).toBe(true);
    }
    expect((await traceOf(8, 'stuck-claims')) === (await traceOf(7, 'stuck-claims'))).toBe(false);
  }, 120_000);

  it('a simulation has the same outcome with and without a trace', async () => {
    const setup = { seed: 7, fault: faultClass('stuck-calls'), protocol: ours() };
    const silent = await simulate(setup);
    const traced = await simulate({ ...setup, trace: () => undefined });
    expect(traced.verdict).toEqual(silent.verdict);
  }, 120_000);
});
