import type { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { WORKER_ID, withIdMaker } from './session.js';

export type DatabaseName = 'postgres' | 'mariadb' | 'sqlite';
export const databaseName = process.env.DATABASE as DatabaseName;
/** Whether a control wants the driver as it is by default. */
export const withDriverDefaults = process.env.DRIVER_OPTIONS === 'defaults';

/** The ID of a row that exists before each write path runs. A JavaScript number can't hold it. */
export const GIVEN = '382475217496248321';

/** An ID that a JavaScript number can hold. */
export const SMALL = '4398046511104001';

const REFUSED = /not.null|cannot be null|default value/i;

/** One row as text. */
export interface Row {
  readonly id: string;
  readonly customerId: string;
}

/** What the outcomes are found out with. */
export interface Table {
  /** Empties the table but for a row with the ID {@link GIVEN}. */
  reset(): Promise<unknown>;
  /** Reads all rows as the ORM does. */
  read(): Promise<readonly { readonly id: unknown; readonly customerId: unknown }[]>;
  /** Reads all rows as text that the database makes. */
  readText(): Promise<readonly Row[]>;
}

/** Writes one or more rows with this customer. Only if it resolves to one value, this is the ID that the ORM returned. */
export type WritePath = (customerId: string) => Promise<unknown>;

/** Prints by write path what became of the ID. */
export async function printOutcomes(table: Table, paths: Readonly<Record<string, WritePath>>): Promise<void> {
  await withIdMaker(async (ids) => {
    const outcomes: Record<string, string> = {};
    for (const [name, write] of Object.entries(paths)) {
      await table.reset();
      outcomes[name] = await outcomeOf(table, ids, write);
    }
    console.log(JSON.stringify(outcomes));
  });
}

async function outcomeOf(table: Table, ids: SnowflakeIdMaker, write: WritePath): Promise<string> {
  const customerId = nextLargeId(ids);
  let returned: unknown;
  try {
    returned = await write(customerId);
  } catch (error) {
    const message = `${String(error)} ${String((error as { parent?: unknown }).parent ?? '')}`;
    return REFUSED.test(message) ? 'refused' : message;
  }
  const stored = (await table.readText()).filter((row) => row.customerId === customerId);
  const read = (await table.read()).map(
    ({ id, customerId: customer }) => `${String(id)} ${String(customer)}`,
  );
  if (stored.some(({ id }) => !read.includes(`${id} ${customerId}`))) return 'misread';
  const found = [...new Set(stored.map(({ id }) => originOf(id, ids)))].sort().join(', ');
  const isReturned = !isOne(returned) || stored.some(({ id }) => id === String(returned));
  return `${found || 'nothing stored'}${isReturned ? '' : ', another ID returned'}`;
}

/** Returns an ID that a JavaScript number can't hold. It can hold the first ID of a millisecond. */
function nextLargeId(ids: SnowflakeIdMaker): string {
  let id = ids.nextId();
  while (BigInt(Number(id)) === BigInt(id)) id = ids.nextId();
  return id;
}

function isOne(value: unknown): boolean {
  return ['string', 'bigint', 'number'].includes(typeof value);
}

function originOf(id: string, ids: SnowflakeIdMaker): string {
  if (id === GIVEN || id === SMALL) return 'kept';
  return BigInt(id) > 1_000_000n && ids.decode(id).workerId === WORKER_ID ? 'filled' : `not ours: ${id}`;
}
