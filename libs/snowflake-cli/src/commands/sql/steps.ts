/** Steps of the migration guide that are SQL. */
export const STEPS = ['widen', 'stop-counting'] as const;

export type StepName = (typeof STEPS)[number];

/** The statements of a step and of the way back, without semicolons. Empty if there is nothing to do. */
export interface Step {
  readonly forward: readonly string[];
  readonly back: readonly string[];
}

/** The statements of a migration. A line that begins with `--` is a comment. */
export type Migration = Readonly<Record<StepName, Step>>;

export const NOTHING: Step = { forward: [], back: [] };

/** A column. Its table is written as in SQL. */
export interface ColumnName {
  readonly table: string;
  readonly name: string;
}

/** A column of a foreign key and the column that it refers to. */
export interface Reference {
  readonly from: ColumnName;
  readonly to: ColumnName;
}

/**
 * Returns the declared columns and all that foreign keys connect with them, in either direction and over any number of
 * tables: both ends of a foreign key have the same type.
 */
export function connectedColumns<Column extends ColumnName>(
  declared: readonly Column[],
  references: readonly Reference[],
): readonly (Column | ColumnName)[] {
  const found = new Map<string, Column | ColumnName>(declared.map((column) => [keyOf(column), column]));
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const { from, to } of references) {
      if (!found.has(keyOf(from)) && !found.has(keyOf(to))) continue;
      for (const column of [to, from]) if (!found.has(keyOf(column))) found.set(keyOf(column), column);
    }
  }
  return [...found.values()];
}

export function keyOf({ table, name }: ColumnName): string {
  return `${table}\n${name}`;
}

/** Returns one `ALTER TABLE` per table that needs one, with the actions of all its columns. */
export function alterTables<Column extends { readonly table: string }>(
  columns: readonly Column[],
  actionsOf: (column: Column) => readonly string[],
): string[] {
  return byTable(columns).flatMap(([table, own]) => {
    const actions = own.flatMap(actionsOf);
    return actions.length === 0 ? [] : [`ALTER TABLE ${table}\n  ${actions.join(',\n  ')}`];
  });
}

/** Returns each table once, with its columns. */
export function byTable<Column extends { readonly table: string }>(
  columns: readonly Column[],
): readonly (readonly [table: string, columns: readonly Column[]])[] {
  return tablesOf(columns).map((table) => [table, columns.filter((column) => column.table === table)]);
}

/** Returns the tables of columns, each once. */
export function tablesOf(columns: readonly { readonly table: string }[]): string[] {
  return [...new Set(columns.map(({ table }) => table))];
}
