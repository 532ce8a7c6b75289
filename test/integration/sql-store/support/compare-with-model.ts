import { playRuns, type Runs } from '../../../support/differential/play-runs.js';
import { type Kind, makeDatabase } from './databases.js';
import { SqlPair } from './sql-pair.js';
import { VirtualDatabase } from './virtual-database.js';

/** What a column can hold and this library does not write; one of SQLite can hold text too. */
const garbage = ['-1', '-1700000000000', '1000000000000000', '9999999999999999'];

/** Plays runs on the model and on the transactions of a fresh database. Resolves to the outcomes of all calls. */
export async function compareWithModel(kind: Kind, runs: Runs): Promise<string[]> {
  const database = await makeDatabase(kind, 'sql-differential');
  const virtual = new VirtualDatabase(database);
  try {
    await virtual.prepare();
    return await playRuns(
      runs,
      kind === 'SQLite' ? [...garbage, 'x'] : garbage,
      (range) => new SqlPair(virtual, range),
    );
  } finally {
    await virtual.close();
    await database.remove();
  }
}
