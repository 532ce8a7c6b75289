import { type Migration, NOTHING } from './steps.js';
import { type NarrowColumn, widenedDefinition } from './sqlite-definition.js';

/** A table of SQLite with columns that hold IDs. */
export interface SqliteTable {
  readonly name: string;
  /** Its `CREATE TABLE`. */
  readonly definition: string;
  /** All columns that are not generated. */
  readonly columns: readonly string[];
  readonly narrow: readonly NarrowColumn[];
  /** `CREATE` statements of its indexes and triggers. */
  readonly attachments: readonly string[];
}

/**
 * Plans the migration of these tables on SQLite. SQLite can't change the type of a column, so the plan rebuilds each table.
 * The new keys don't count up, because only an `integer PRIMARY KEY` does.
 */
export function sqliteMigration(tables: readonly SqliteTable[]): Migration {
  if (tables.length === 0) return { widen: NOTHING, 'stop-counting': NOTHING };
  const forward = [
    'PRAGMA foreign_keys = OFF',
    // Otherwise a rename fails if a view or a trigger names the table that is missing at that moment.
    'PRAGMA legacy_alter_table = ON',
    'BEGIN IMMEDIATE',
    ...tables.flatMap(rebuild),
    'PRAGMA foreign_key_check',
    'COMMIT',
    'PRAGMA legacy_alter_table = OFF',
    'PRAGMA foreign_keys = ON',
  ];
  const back = ['-- To undo this step on SQLite, restore the copy of the file from before it.'];
  return { widen: { forward, back }, 'stop-counting': NOTHING };
}

function rebuild({ name, definition, columns, narrow, attachments }: SqliteTable): string[] {
  const [old, wide] = [quoted(name), quoted(`${name}_widened`)];
  const list = columns.map(quoted).join(', ');
  return [
    widenedDefinition(definition, wide, narrow),
    `INSERT INTO ${wide} (${list}) SELECT ${list} FROM ${old}`,
    `DROP TABLE ${old}`,
    `ALTER TABLE ${wide} RENAME TO ${old}`,
    ...attachments,
  ];
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
