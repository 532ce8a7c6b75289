import { changeRuns } from '../../support/differential/play-runs.js';
import { EVERY_OUTCOME } from '../../support/differential/steps.js';
import { compareWithModel } from './support/compare-with-model.js';

describe('the transactions and the model', () => {
  it.each([
    ['SQLite', 6],
    ['PostgreSQL', 2],
    ['MariaDB', 3],
  ] as const)('answers and stores the same as the model on %s, step by step', async (kind, seed) =>
    expect(await compareWithModel(kind, changeRuns(2, seed))).toEqual(EVERY_OUTCOME),
  );
});
