import { type OptionRule, text } from '../../../core/options/option-rule.js';
import type { DatabaseOptions } from '../database/database-options.js';
import type { HistoryExpressions, HistoryTable, SqlDialect } from '../dialects/dialect.js';
import { type DatabaseUse, dialectOf } from '../dialects/dialects.js';
import type { StoreRemedies } from '../errors.js';

/** One table of a store. */
export interface TableDeclaration {
  /** Follows the name of the main table. */
  readonly suffix: string;
  /** The columns and the primary key, as CREATE TABLE takes them. */
  readonly columns: string | ((dialect: SqlDialect) => string);
  readonly index?: {
    /** Follows the name of the main table. */
    readonly suffix: string;
    readonly columns: string;
    readonly isUnique?: boolean;
  };
  /** Set for the table whose recreation is part of the server's history. */
  readonly history?: {
    /** The key column, if one row of the table keeps the history for all tables. Its key is {@link HISTORY_KEY}. */
    readonly keptUnder?: string;
  };
}

/** Everything about the tables of a store that does not depend on the database. */
export interface TablesDeclaration<Name extends string> {
  readonly use: DatabaseUse;
  /** The name of the main table unless the user chooses another one. */
  readonly defaultName: string;
  /** The tables in the order in which they are created. */
  readonly tables: Readonly<Record<Name, TableDeclaration>>;
  readonly remedies: StoreRemedies;
  /** What could happen twice in a table that locks no rows, as the beginning of a clause. */
  readonly unsafeWithoutLocks?: string;
}

/** The key of the row that keeps the history. */
export const HISTORY_KEY = '';

/** Declares the tables of a store, once for all that creates, probes, drops or uses them. */
export function defineTables<Name extends string>(declaration: TablesDeclaration<Name>): TableSet<Name> {
  return new TableSet(declaration);
}

/** The tables of a store in any database. */
export class TableSet<Name extends string> {
  constructor(readonly declaration: TablesDeclaration<Name>) {}

  get defaultName(): string {
    return this.declaration.defaultName;
  }

  get use(): DatabaseUse {
    return this.declaration.use;
  }

  get remedies(): StoreRemedies {
    return this.declaration.remedies;
  }

  /** The rule of the name of the main table. */
  get nameRule(): OptionRule<string> {
    const problem = 'must have 1 to 40 letters, digits and _, no digit first';
    const remedy = `Omit it to use '${this.defaultName}'. Set a schema for the connection, not here.`;
    return text(/^[A-Za-z_][A-Za-z0-9_]{0,39}$/, problem, remedy).or(this.defaultName);
  }

  /** Returns the tables in a database. @throws InvalidOptionError if it can't hold them */
  in(
    options: DatabaseOptions,
    tableName = this.defaultName,
    dialect = dialectOf(options, this.use),
  ): SqlPlace<Name> {
    return { dialect, tables: new StoreTables(this.declaration, options.schema, dialect, tableName) };
  }
}

/** The tables of a store in one database, and its dialect. */
export interface SqlPlace<Name extends string = string> {
  readonly tables: StoreTables<Name>;
  readonly dialect: SqlDialect;
  /** How the server shows its history; `undefined` if the operator asserts that it loses nothing. */
  readonly history?: HistoryExpressions | undefined;
}

/** The tables of a store in one database. */
export class StoreTables<Name extends string> {
  /** The tables in the order in which they are created. */
  readonly order: readonly Name[];
  /** The names as a catalogue lists them, in that order. */
  readonly names: readonly string[];
  /** The quoted names with their schema, for statements. */
  readonly quoted: Readonly<Record<Name, string>>;
  /** The table whose recreation is part of the server's history. */
  readonly history?: HistoryTable;
  /** Where one row keeps the history for all tables. */
  readonly keptHistory?: { readonly table: string; readonly key: string };

  constructor(
    readonly declaration: TablesDeclaration<Name>,
    readonly schema: string | undefined,
    private readonly dialect: SqlDialect,
    private readonly tableName: string,
  ) {
    const { tables } = declaration;
    const nameOf = (name: Name): string => tableName + tables[name].suffix;
    const path = (name: Name): string =>
      [...(schema ? [schema] : []), nameOf(name)].map(dialect.quote).join('.');
    this.order = Object.keys(tables) as Name[];
    this.names = this.order.map(nameOf);
    this.quoted = Object.fromEntries(this.order.map((name) => [name, path(name)])) as Record<Name, string>;
    const carrier = this.order.find((name) => tables[name].history);
    if (carrier === undefined) return;
    this.history = { quoted: path(carrier), schema, name: nameOf(carrier) };
    const key = tables[carrier].history?.keptUnder;
    if (key !== undefined) this.keptHistory = { table: path(carrier), key };
  }

  /** The statements that create the missing tables. */
  get create(): readonly string[] {
    return this.order.flatMap((name) => this.createOne(name));
  }

  /** Statements that fail if a table is missing. */
  get probe(): readonly string[] {
    return this.order.map((name) => `SELECT 1 FROM ${this.quoted[name]} WHERE 1 = 0`);
  }

  /** The statements that drop the tables. */
  get drop(): readonly string[] {
    return this.order.toReversed().map((name) => `DROP TABLE ${this.quoted[name]}`);
  }

  /** Returns the statements that create a table and its index unless they exist. */
  createOne(name: Name): readonly string[] {
    const { columns, index } = this.declaration.tables[name];
    const { hasIndexInTable, tableOptions, quote } = this.dialect;
    const table = this.quoted[name];
    const all = typeof columns === 'string' ? columns : columns(this.dialect);
    const create = (rest = ''): string =>
      `CREATE TABLE IF NOT EXISTS ${table} (${all}${rest})${tableOptions}`;
    if (!index) return [create()];
    const unique = index.isUnique ? 'UNIQUE ' : '';
    const indexName = quote(this.tableName + index.suffix);
    return hasIndexInTable
      ? [create(`, ${unique}KEY ${indexName} ${index.columns}`)]
      : [create(), `CREATE ${unique}INDEX IF NOT EXISTS ${indexName} ON ${table} ${index.columns}`];
  }
}
