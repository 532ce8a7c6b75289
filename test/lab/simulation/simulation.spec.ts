import { runs } from '../../support/runs.js';
import { type Job, runJobs } from './job-pool.js';
import { FAULT_CLASSES, faultClass } from './faults.js';
import { ours } from './protocols/index.js';
import { simulate } from './simulation.js';
import { problemOf, Tally } from './tally.js';

/** Other seeds at each run, so that more and more of them are tried; give the printed one to repeat a run. */
const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? Math.floor(Date.now() / 1000) % 1_000_000_000);

const SEEDS = runs(14);
const SEEDS_OF: Readonly<Record<string, number>> = { mixed: runs(50), 'tight-pool': runs(6) };

describe(`the protocol in the simulated world, from SIMULATION_SEED=${FIRST_SEED} [promise: unique]`, () => {
  const tallies = new Map(FAULT_CLASSES.map(({ name }) => [name, new Tally()]));
  const problems: string[] = [];

  function* jobs(): Generator<Job> {
    for (const { name: fault } of FAULT_CLASSES) {
      for (let index = 0; index < (SEEDS_OF[fault] ?? SEEDS); index++) {
        yield { seed: FIRST_SEED + index, fault, protocol: 'ours' };
      }
    }
  }

  beforeAll(async () => {
    process.stderr.write(`simulation: SIMULATION_SEED=${FIRST_SEED}\n`);
    await runJobs(jobs(), 1, ({ seed, fault }, outcome) => {
      tallies.get(fault)?.add(outcome);
      const problem = problemOf(outcome.verdict);
      if (!problem) return;
      problems.push(
        `${fault}: ${problem}; replay: npm run simulate -- --fault ${fault} --seed ${seed} --trace`,
      );
    });
  }, 900_000);

  it.each(FAULT_CLASSES.map(({ name }) => name))('makes no ID twice and goes on afterwards: %s', (fault) => {
    expect(problems.filter((problem) => problem.startsWith(`${fault}:`))).toEqual([]);
    expect(tallies.get(fault)?.seeds).toBe(SEEDS_OF[fault] ?? SEEDS);
    expect(tallies.get(fault)?.sum.ids).toBeGreaterThan(1000);
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
