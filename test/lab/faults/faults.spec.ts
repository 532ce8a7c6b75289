import { SCENARIOS } from './scenarios/index.js';
import { perform } from './support/scenario.js';

const TIMEOUT_MS = 300_000;

/** `npm run faults` plays all of them and prints a table. */
const QUICK = SCENARIOS.filter(({ isQuick }) => isQuick);

describe('faults on real processes [promise: unique, after-loss, fail-closed]', () => {
  it.each(QUICK)(
    '$name',
    async (scenario) => {
      const { problems, duplicates, ids } = await perform(scenario);
      expect(problems).toEqual([]);
      expect(duplicates).toBe(0);
      expect(ids).toBeGreaterThan(1000);
    },
    TIMEOUT_MS,
  );
});
