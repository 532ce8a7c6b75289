import type { Progress } from '../support/progress.js';
import { CHUNK_ROWS, type OrderTable } from './order-table.js';
import { rotated, Samples } from './samples.js';
import type { TableSizes } from './table-sizes.js';

export const OPERATIONS = ['bulk insert', 'insert'] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface Plan {
  /** Rows in each table before anything is timed. */
  readonly tableRows: number;
  readonly rounds: number;
  /** Single rows per round. */
  readonly singles: number;
}

/** What was measured on the tables. */
export interface Measured {
  readonly samples: Record<Operation, Samples>;
  /** By name of the key. */
  readonly sizes: Record<string, TableSizes>;
  /** Rows in each table in the end, when the sizes were taken. */
  readonly rowsAtEnd: number;
}

/**
 * Fills the tables, and measures. Each operation runs on all tables in turn before the next operation begins, so that a
 * disturbance of the host affects all keys alike.
 */
export async function measureTables(
  tables: readonly OrderTable[],
  plan: Plan,
  show: Progress,
): Promise<Measured> {
  await fill(tables, plan.tableRows, show);
  const samples = { 'bulk insert': new Samples(), insert: new Samples() };
  // These don't count, because the first calls compile.
  for (const table of tables) await table.insertSingly(plan.singles);
  for (let round = 0; round < plan.rounds; round++) {
    show.step(plan.tableRows, `round ${round + 1} of ${plan.rounds} on ${plan.tableRows} rows`);
    const turns = rotated(tables, round);
    for (const table of turns) samples['bulk insert'].add(table.kind.name, await table.insertChunk());
    for (const table of turns) samples.insert.add(table.kind.name, await table.insertSingly(plan.singles));
  }
  const sizes = await byKey(tables, (table) => table.sizes());
  return { samples, sizes, rowsAtEnd: await rowsOfEach(tables) };
}

async function fill(tables: readonly OrderTable[], until: number, show: Progress): Promise<void> {
  for (let rows = 0, round = 0; rows < until; rows += CHUNK_ROWS, round++) {
    for (const table of rotated(tables, round)) await table.insertChunk();
    show.step(rows, `${rows.toLocaleString('en-US')} rows in each table`);
  }
}

/** @throws Error when the tables differ: each gets the same rows */
async function rowsOfEach(tables: readonly OrderTable[]): Promise<number> {
  const counts = await byKey(tables, (table) => table.countRows());
  const [rows = 0, ...others] = Object.values(counts);
  if (others.some((other) => other !== rows)) throw new Error(`The tables differ: ${JSON.stringify(counts)}`);
  return rows;
}

async function byKey<Value>(
  tables: readonly OrderTable[],
  valueOf: (table: OrderTable) => Promise<Value>,
): Promise<Record<string, Value>> {
  const values: Record<string, Value> = {};
  for (const table of tables) values[table.kind.name] = await valueOf(table);
  return values;
}
