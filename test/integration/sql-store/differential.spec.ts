import fc from 'fast-check';
import { KINDS, makeDatabase, type TestDatabase } from './support/databases.js';
import { EVERY_OUTCOME, smallRange, stepsWith } from '../../support/differential/steps.js';
import { SqlPair } from './support/sql-pair.js';
import { VirtualDatabase } from './support/virtual-database.js';

/** What a column can hold and this library does not write; one of SQLite can hold text too. */
const garbage = ['-1', '-1700000000000', '1000000000000000', '9999999999999999'];

/** Runs of about 90 steps each; DIFFERENTIAL_RUNS makes more of them. */
const RUNS = Number(process.env.DIFFERENTIAL_RUNS ?? 12);

describe.each(KINDS)('the transactions on %s and the model', (kind) => {
  let database: TestDatabase;
  let virtual: VirtualDatabase;

  beforeAll(async () => {
    database = await makeDatabase(kind, 'sql-differential');
    virtual = new VirtualDatabase(database);
    await virtual.prepare();
  }, 120_000);
  afterAll(async () => {
    await virtual?.close();
    await database?.remove();
  });

  it(
    'answer and store the same, step by step',
    async () => {
      const outcomes = new Set<string>();
      const runs = fc.asyncProperty(
        smallRange,
        stepsWith(kind === 'SQLite' ? [...garbage, 'x'] : garbage),
        async (range, steps) => {
          const pair = new SqlPair(virtual, range);
          await pair.prepare();
          for (const play of steps) await play(pair);
          for (const outcome of pair.outcomes) outcomes.add(outcome);
        },
      );
      await fc.assert(runs, { numRuns: RUNS, endOnFailure: true });
      expect([...outcomes].sort()).toEqual(EVERY_OUTCOME);
    },
    60_000 + 10_000 * RUNS,
  );
});
