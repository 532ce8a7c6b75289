import { CHANGE_RUNS } from '../../support/differential/play-runs.js';
import { compareWithModel } from './support/compare-with-model.js';
import { KINDS } from './support/databases.js';

describe('the transactions and the model', () => {
  it.each(KINDS)('answers and stores the same as the model on %s, step by step', (kind) =>
    compareWithModel(kind, CHANGE_RUNS),
  );
});
