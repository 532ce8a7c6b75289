import { progress } from '../support/progress.js';
import { type BenchDatabase, type DatabaseName, startDatabase } from './databases.js';
import type { IssuedIds } from '../support/issued-ids.js';
import type { KeyKind } from './key-kind.js';
import { OrderTable } from './order-table.js';
import { type DatabaseResult, databaseResult } from './result.js';
import { measureTables, type Plan } from './stage.js';

/**
 * Starts a database of its own and measures all kinds of keys in it.
 *
 * @param issued takes the IDs of the Snowflake tables when all is done
 * @param faults takes what is wrong with keys
 */
export async function measureDatabase(
  name: DatabaseName,
  kinds: readonly KeyKind[],
  plan: Plan,
  issued: IssuedIds,
  faults: string[],
): Promise<DatabaseResult> {
  const database = await startDatabase(name);
  const show = progress(database.label, plan.tableRows);
  try {
    return await withTables(database, kinds, async (tables) => {
      const measured = await measureTables(tables, plan, show);
      await collectIds(tables, issued);
      for (const table of tables) {
        const found = await table.faults();
        faults.push(...found.map((fault) => `${database.label}, ${table.kind.label}: ${fault}`));
      }
      return databaseResult(await about(database, tables), kinds, plan, measured);
    });
  } finally {
    await database.stop();
    show.end();
  }
}

async function withTables<Result>(
  database: BenchDatabase,
  kinds: readonly KeyKind[],
  task: (tables: readonly OrderTable[]) => Promise<Result>,
): Promise<Result> {
  const tables: OrderTable[] = [];
  try {
    for (const kind of kinds) tables.push(await OrderTable.open(database, kind));
    return await task(tables);
  } finally {
    await Promise.all(tables.map((table) => table.close()));
  }
}

async function collectIds(tables: readonly OrderTable[], issued: IssuedIds): Promise<void> {
  for (const table of tables.filter(({ kind }) => kind.name.startsWith('snowflake'))) {
    for await (const id of table.keys()) issued.add(id);
  }
}

async function about(
  { label, settings }: BenchDatabase,
  tables: readonly OrderTable[],
): Promise<Pick<DatabaseResult, 'database' | 'version' | 'settings'>> {
  return { database: label, version: (await tables[0]?.databaseVersion()) ?? '', settings };
}
