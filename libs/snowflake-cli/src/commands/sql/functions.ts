import { type BitLayout, InvalidOptionError } from 'nestjs-snowflake/core';
import { fieldsSql, firstIdSql, type IdSqlDialect } from 'nestjs-snowflake/internal/core/ids/id-sql';
import type { DatabaseName } from './tables.js';

/** Which functions to create. */
export interface WantedFunctions {
  readonly database: DatabaseName;
  readonly layout: BitLayout;
  /** The schema of the functions on PostgreSQL. */
  readonly schema?: string | undefined;
}

interface SqlFunction {
  readonly name: string;
  readonly parameter: 'id' | 'at';
  readonly body: string;
}

const SCHEMA = 'snowflake';
/** A name that needs no quotes. */
const PLAIN_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Returns the statements that create functions which read IDs of a layout, without semicolons. A line that begins with `--` is a comment.
 *
 * @throws InvalidOptionError for a bad schema, or for an epoch that a database can't write
 */
export function createFunctions({ database, layout, schema }: WantedFunctions): readonly string[] {
  if (schema !== undefined && database !== 'postgres') {
    throw new InvalidOptionError('--schema', schema, 'applies only to --dialect postgres', 'Omit it.');
  }
  const head = `-- Reads IDs of the layout ${layout.fingerprint}`;
  switch (database) {
    case 'postgres':
      return [head, ...onPostgres(functionsOf(layout, 'postgres'), schema)];
    case 'sqlite':
      return [head, ...onSqlite(functionsOf(layout, 'sqlite'), layout)];
    default:
      return [head, ...functionsOf(layout, 'mysql').flatMap(onMysql)];
  }
}

function functionsOf(layout: BitLayout, dialect: IdSqlDialect): readonly SqlFunction[] {
  const fields = fieldsSql(layout, dialect);
  return [
    ...fields.map(({ name, checkedSql: body }): SqlFunction => ({ name, parameter: 'id', body })),
    { name: 'first_id', parameter: 'at', body: firstIdSql(layout, dialect) },
  ];
}

/** The types of parameters and results. Whole numbers are fields of at most 31 bits. */
type Types = Readonly<Record<'id' | 'at' | 'time' | 'whole number', string>>;
const POSTGRES: Types = { id: 'bigint', at: 'timestamptz', time: 'timestamptz', 'whole number': 'integer' };
const MYSQL: Types = { id: 'BIGINT', at: 'DATETIME(6)', time: 'DATETIME(3)', 'whole number': 'INT' };

function resultOf({ name }: SqlFunction): keyof Types {
  if (name === 'first_id') return 'id';
  return name === 'time' ? 'time' : 'whole number';
}

function onPostgres(functions: readonly SqlFunction[], schema = SCHEMA): readonly string[] {
  if (!PLAIN_NAME.test(schema)) {
    const remedy = `Use lower-case letters, digits and _, such as ${SCHEMA}.`;
    throw new InvalidOptionError('--schema', schema, 'is not a plain name', remedy);
  }
  return [
    `CREATE SCHEMA IF NOT EXISTS ${schema}`,
    // They return NULL for NULL. PostgreSQL would not inline them if they were STRICT.
    ...functions.map((each) => {
      const { name, parameter, body } = each;
      const result = POSTGRES[resultOf(each)];
      return (
        `CREATE OR REPLACE FUNCTION ${schema}.${name}(${parameter} ${POSTGRES[parameter]}) RETURNS ${result}\n` +
        `  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$\n  SELECT (${body})::${result}\n$$`
      );
    }),
    `GRANT USAGE ON SCHEMA ${schema} TO PUBLIC`,
  ];
}

function onMysql(each: SqlFunction): readonly string[] {
  const { name, parameter, body } = each;
  return [
    `DROP FUNCTION IF EXISTS snowflake_${name}`,
    // Its definer may not exist on a restored server.
    `CREATE FUNCTION snowflake_${name}(${parameter} ${MYSQL[parameter]}) RETURNS ${MYSQL[resultOf(each)]}\n` +
      `  DETERMINISTIC NO SQL SQL SECURITY INVOKER\n  RETURN ${body}`,
  ];
}

function onSqlite(functions: readonly SqlFunction[], layout: BitLayout): readonly string[] {
  const tick = layout.tickAt(layout.epochMs + 10_000_000);
  const id = layout.compose({ tick, workerId: 0, sequence: 1 });
  const at = new Date(layout.startOfTick(tick)).toISOString();
  return [
    '-- SQLite has no functions in SQL. Copy these expressions, with your column as id and your time as at.',
    `SELECT\n${functions.map(({ name, body }) => `  ${body} AS ${name}`).join(',\n')}\nFROM (SELECT ${id} AS id, '${at}' AS at)`,
  ];
}
