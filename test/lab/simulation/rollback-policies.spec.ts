import type { GeneratorOptions } from 'nestjs-snowflake';
import type { ClockRollbackPolicy } from 'nestjs-snowflake/core';
import { faultClass } from './faults.js';
import { NOTHING_REMOVED } from './protocols/removals.js';
import { ours } from './protocols/index.js';
import { simulate } from './simulation.js';
import { problemOf } from './tally.js';

/** `switch` is what all other simulations run. */
const OTHERS: readonly ClockRollbackPolicy[] = ['hold', 'reuse', 'wait', 'throw'];
const FAULTS = ['host-clocks', 'mixed'];
const SEEDS = 4;
const FIRST_SEED = Number(process.env.SIMULATION_SEED ?? Math.floor(Date.now() / 1000) % 1_000_000_000);

async function problemsOf(options: GeneratorOptions): Promise<string[]> {
  const problems: string[] = [];
  for (const fault of FAULTS) {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
      const protocol = ours(NOTHING_REMOVED, options);
      const { verdict } = await simulate({ seed, fault: faultClass(fault), protocol });
      // What `reuse` gives up is the order within a tenure, and nothing else.
      const relevant = options.onClockRollback === 'reuse' ? { ...verdict, disorders: 0 } : verdict;
      const problem = problemOf(relevant);
      if (problem) problems.push(`${fault}, seed ${seed}: ${problem}`);
      expect(verdict.ids).toBeGreaterThan(0);
    }
  }
  return problems;
}

describe(`rollback policies under a lease, from SIMULATION_SEED=${FIRST_SEED} [promise: unique]`, () => {
  it.each(OTHERS)(
    '%s generates no ID twice and goes on afterwards',
    async (onClockRollback) => {
      const starts = ['zero', 'random', 'rolling'] as const;
      expect(
        await problemsOf({ onClockRollback, sequenceStart: starts[OTHERS.indexOf(onClockRollback) % 3] }),
      ).toEqual([]);
    },
    300_000,
  );
});
