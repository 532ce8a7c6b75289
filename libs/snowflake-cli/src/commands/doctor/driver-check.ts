import { DataSource, type DataSourceOptions } from 'typeorm';
import { safeReason } from 'nestjs-snowflake/internal/core/errors/foreign-error';
import { settledWithin } from 'nestjs-snowflake/internal/kit/call-deadline';
import { ColumnTypeError, LossyDriverError } from 'nestjs-snowflake/typeorm';
import { InvalidOptionError, systemClock } from 'nestjs-snowflake/core';
import { requireExactColumns } from 'nestjs-snowflake/internal/adapters/typeorm/column-types';
import type { ColumnMetadata } from 'nestjs-snowflake/internal/adapters/typeorm/declared-columns';
import { findSnowflakeColumns } from 'nestjs-snowflake/internal/adapters/typeorm/snowflake-columns';
import { requireWrappedSchemas } from 'nestjs-snowflake/internal/adapters/typeorm/verify';
import { FAMILIES, PROBE } from 'nestjs-snowflake/internal/kit/sql/column-families';
import { passiveOptions } from '../../settings/orm-options.js';
import { examineDefaults } from './defaults-check.js';
import { examineInheritance } from './inheritance-check.js';
import { type Examination, type Finding, finding, type Severity } from './findings.js';

/**
 * Reads a 64-bit integer through a DataSource of the app, and compares the columns of its entities with those of the
 * database. Changes nothing.
 *
 * @param hasEntities whether the app keeps its entities in this DataSource, so that it must have Snowflake columns
 */
export async function examineDriver(
  options: DataSourceOptions,
  timeoutMs: number,
  hasEntities: boolean,
): Promise<Examination> {
  const dataSource = new DataSource(passiveOptions(options));
  const late = (): Error => new Error(`no answer within ${timeoutMs} ms`);
  try {
    requireWrappedSchemas(dataSource);
    return await settledWithin(systemClock, timeoutMs, examine(dataSource, hasEntities), late);
  } catch (error) {
    if (error instanceof InvalidOptionError) return unexamined(finding('OPTIONS_INVALID', error.message));
    const problem = `The DataSource of type ${options.type} could not be examined: ${safeReason(error)}`;
    return unexamined(finding('STORE_UNREACHABLE', problem));
  } finally {
    if (dataSource.isInitialized) dataSource.destroy().catch(() => undefined);
  }
}

function unexamined(...findings: Finding[]): Examination {
  return { findings, examined: [] };
}

async function examine(dataSource: DataSource, hasEntities: boolean): Promise<Examination> {
  await dataSource.initialize();
  const columns = dataSource.entityMetadatas.flatMap((entity) => findSnowflakeColumns(entity).all);
  if (columns.length === 0) {
    const none = `None of the DataSource's ${dataSource.entityMetadatas.length} entities has a Snowflake column.`;
    const findings = hasEntities ? [finding('COLUMNS_NOT_FOUND', none)] : [];
    return { findings: [...findings, ...(await examineRounding(dataSource))], examined: ['driver'] };
  }
  const inheritance = examineInheritance(dataSource.entityMetadatas);
  const entities = new Set(columns.map(({ entityMetadata }) => entityMetadata));
  const examined = [
    'driver',
    `${counted(columns, 'Snowflake column')} of ${counted([...entities], 'entity')}`,
  ];
  try {
    const found = await requireExactColumns(dataSource, columns);
    const missing = missingColumns(columns.filter((column) => !found.includes(column)));
    const filled = await examineDefaults(dataSource);
    return { findings: [...missing, ...filled, ...inheritance], examined };
  } catch (error) {
    if (error instanceof LossyDriverError)
      return {
        findings: [finding('DRIVER_ROUNDS', error.message, { remedy: error.remedy }), ...inheritance],
        examined,
      };
    if (error instanceof ColumnTypeError) {
      const types = error.columns
        .map(({ table, column, type }) => `${table}.${column} is ${type}`)
        .join(', ');
      const problem = `In the database, ${types}, which can't hold every 63-bit ID exactly.`;
      return { findings: [finding('COLUMN_TYPE', problem), ...inheritance], examined };
    }
    throw error;
  }
}

function missingColumns(columns: readonly ColumnMetadata[]): Finding[] {
  if (columns.length === 0) return [];
  const names = columns.map(
    ({ entityMetadata, databaseName }) => `${entityMetadata.tablePath}.${databaseName}`,
  );
  return [
    finding(
      'COLUMNS_NOT_FOUND',
      `Entities declare columns that the database does not have: ${names.join(', ')}.`,
    ),
  ];
}

function counted({ length }: readonly unknown[], noun: string): string {
  return `${length} ${length === 1 ? noun : `${noun.replace(/y$/, 'ie')}s`}`;
}

/** Compares a 64-bit integer alone: without entities, the doctor can't tell whether a bigint column will hold IDs. */
async function examineRounding(dataSource: DataSource): Promise<Finding[]> {
  const { type } = dataSource.options;
  const family = FAMILIES.find(({ includes }) => includes.test(type));
  if (family === undefined) return [];
  const [row] = (await dataSource.query(`SELECT ${family.probe} AS probe`)) as { probe?: unknown }[];
  const returned = String(row?.probe);
  if (returned === PROBE) return [];
  const { message } = new LossyDriverError(type, returned, '');
  // The SQLite driver rounds unless it is configured otherwise, which doesn't affect entities with varchar IDs.
  const severity: Severity = type === 'better-sqlite3' ? 'warning' : 'error';
  return [finding('DRIVER_ROUNDS', message.trim(), { remedy: family.remedy, severity })];
}
