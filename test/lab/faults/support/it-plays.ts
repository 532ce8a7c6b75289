import { perform, type Scenario } from './scenario.js';

const TIMEOUT_MS = 300_000;

/** Declares a test for each quick one of these scenarios. `npm run faults` plays all of them and prints a table. */
export function itPlays(scenarios: readonly Scenario[]): void {
  it.each(scenarios.filter(({ isQuick }) => isQuick))(
    '$name',
    async (scenario) => {
      const { problems, duplicates, ids } = await perform(scenario);
      expect(problems).toEqual([]);
      expect(duplicates).toBe(0);
      expect(ids).toBeGreaterThan(1000);
    },
    TIMEOUT_MS,
  );
}
