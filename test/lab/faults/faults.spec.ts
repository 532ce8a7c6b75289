import { CONTROLS } from './controls.js';
import { SCENARIOS } from './scenarios/index.js';
import { perform, performControl } from './support/scenario.js';

const TIMEOUT_MS = 300_000;

/** The quick ones; `npm run faults` plays all of them and prints a table. */
const quick = <T extends { readonly isQuick?: boolean }>(plays: readonly T[]): T[] =>
  plays.filter(({ isQuick }) => isQuick);

describe('faults on real processes [promise: unique, after-loss, fail-closed]', () => {
  it.each(quick(SCENARIOS))(
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

describe('the checks of the scenarios on a broken library (control) [promise: unique, after-loss]', () => {
  it.each(quick(CONTROLS))(
    '$name',
    async (control) => {
      const { problems, duplicates } = await performControl(control);
      expect(problems).toEqual([]);
      expect(duplicates).toBeGreaterThan(100);
    },
    TIMEOUT_MS,
  );
});
