import { CONTROLS } from './controls.js';
import { performControl } from './support/scenario.js';

const TIMEOUT_MS = 300_000;

/** `npm run faults` plays all of them and prints a table. */
const QUICK = CONTROLS.filter(({ isQuick }) => isQuick);

describe('the checks of the scenarios on a broken library (control) [promise: unique, after-loss]', () => {
  it.each(QUICK)(
    '$name',
    async (control) => {
      const { problems, duplicates } = await performControl(control);
      expect(problems).toEqual([]);
      expect(duplicates).toBeGreaterThan(100);
    },
    TIMEOUT_MS,
  );
});
