import { CHANGE_RUNS } from '../../support/differential/play-runs.js';
import { EVERY_OUTCOME } from '../../support/differential/steps.js';
import { compareWithModel } from './support/compare-with-model.js';
import { KINDS } from './support/databases.js';

describe('the transactions and the model', () => {
  it.each(KINDS)('answers and stores the same as the model on %s, step by step', async (kind) =>
    expect(await compareWithModel(kind, CHANGE_RUNS)).toEqual(EVERY_OUTCOME),
  );
});
