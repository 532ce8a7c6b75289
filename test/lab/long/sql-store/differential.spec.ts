import { compareWithModel } from '../../../integration/sql-store/support/compare-with-model.js';
import { KINDS } from '../../../integration/sql-store/support/databases.js';
import { labRuns } from '../../../support/differential/play-runs.js';
import { EVERY_OUTCOME } from '../../../support/differential/steps.js';

const RUNS = labRuns(24);

describe('the transactions and the model, with values that differ from run to run', () => {
  it.each(KINDS)(
    'answers and stores the same as the model on %s, step by step',
    async (kind) => expect(await compareWithModel(kind, RUNS)).toEqual(EVERY_OUTCOME),
    60_000 + 10_000 * RUNS.numRuns,
  );
});
