import type { Progress } from '../support/progress.js';
import { CHUNK_ROWS, type OrderTable, type TimeRange } from './order-table.js';
import { rotated, Samples } from './samples.js';
import type { TableSizes } from './table-sizes.js';

export const OPERATIONS = ['bulk insert', 'insert', 'save', 'sum by time'] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface StagePlan {
  /** Rows in each table before anything is timed. */
  readonly tableRows: number;
  readonly rounds: number;
  /** Single rows per round and operation. */
  readonly singles: number;
  /** Chunks that a search by time finds. */
  readonly searchChunks: number;
}

/** What was measured on tables of one size. */
export interface StageResult {
  readonly plan: StagePlan;
  readonly samples: Record<Operation, Samples>;
  /** By name of the key. */
  readonly rowsFound: Record<string, number>;
  readonly sizes: Record<string, TableSizes>;
  /** Rows in each table after the stage, when the sizes were taken. */
  readonly rowsAtEnd: number;
}

/**
 * Fills the tables up to the size of the stage, and measures. Each operation runs on all tables in turn before the next
 * operation begins, so that a disturbance of the host affects all keys alike.
 */
export async function runStage(
  tables: readonly OrderTable[],
  plan: StagePlan,
  show: Progress,
): Promise<StageResult> {
  const rowsBefore = await rowsOfEach(tables);
  await fill(tables, rowsBefore, plan.tableRows, show);
  const samples = {
    'bulk insert': new Samples(),
    insert: new Samples(),
    save: new Samples(),
    'sum by time': new Samples(),
  };
  await writeSingly(tables, plan.singles); // Not counted: the first calls compile.
  for (let round = 0; round < plan.rounds; round++) {
    show.step(plan.tableRows, `round ${round + 1} of ${plan.rounds} on ${plan.tableRows} rows`);
    const turns = rotated(tables, round);
    for (const table of turns) samples['bulk insert'].add(table.kind.name, await table.insertChunk());
    for (const table of turns) samples.insert.add(table.kind.name, await table.insertSingly(plan.singles));
    for (const table of turns) samples.save.add(table.kind.name, await table.saveSingly(plan.singles));
  }
  for (const table of tables) await table.prepareForSearch();
  const sizes = await byKey(tables, (table) => table.sizes());
  const ranges = await byKey(tables, (table) => table.timeRange(plan.searchChunks));
  await search(tables, plan.rounds, ranges, samples['sum by time']);
  for (const table of tables) await table.dropTimeIndex();
  const rowsFound = Object.fromEntries(Object.entries(ranges).map(([key, { rows }]) => [key, rows]));
  return { plan, samples, rowsFound, sizes, rowsAtEnd: await rowsOfEach(tables) };
}

async function fill(
  tables: readonly OrderTable[],
  from: number,
  until: number,
  show: Progress,
): Promise<void> {
  for (let rows = from, round = 0; rows < until; rows += CHUNK_ROWS, round++) {
    for (const table of rotated(tables, round)) await table.insertChunk();
    show.step(rows, `${rows.toLocaleString('en-US')} rows in each table`);
  }
}

async function writeSingly(tables: readonly OrderTable[], count: number): Promise<void> {
  for (const table of tables) {
    await table.insertSingly(count);
    await table.saveSingly(count);
  }
}

async function search(
  tables: readonly OrderTable[],
  rounds: number,
  ranges: Record<string, TimeRange>,
  samples: Samples,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const table of rotated(tables, round)) {
      const range = ranges[table.kind.name];
      if (range !== undefined) samples.add(table.kind.name, await table.sumAmounts(range));
    }
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
