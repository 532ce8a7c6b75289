import { compareWithModel } from '../../../integration/sql-store/support/compare-with-model.js';
import { KINDS } from '../../../integration/sql-store/support/databases.js';
import { labRuns } from '../../../support/differential/play-runs.js';

const RUNS = labRuns(24);

describe('the transactions and the model, with values that differ from run to run', () => {
  it.each(KINDS)(
    'answers and stores the same as the model on %s, step by step',
    (kind) => compareWithModel(kind, RUNS),
    60_000 + 10_000 * RUNS.numRuns,
  );
});
