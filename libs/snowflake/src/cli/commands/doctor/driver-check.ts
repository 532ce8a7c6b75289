import { DataSource, type DataSourceOptions } from 'typeorm';
import { safeReason } from '../../../core/errors/foreign-error.js';
import { ColumnTypeError, LossyDriverError, systemClock } from '../../../core/index.js';
import { settledWithin } from '../../../lease/call-deadline.js';
import { requireExactColumns } from '../../../typeorm/column-types.js';
import { FAMILIES, PROBE } from '../../../typeorm/database-families.js';
import { findSnowflakeColumns } from '../../../typeorm/snowflake-columns.js';
import { passiveOptions } from '../../settings/orm-options.js';
import { type Finding, finding, type Severity } from './findings.js';

/**
 * Reads a 64-bit integer through a DataSource of the app, and compares the columns of its entities with those of the
 * database. Changes nothing.
 */
export async function examineDriver(options: DataSourceOptions, timeoutMs: number): Promise<Finding[]> {
  const dataSource = new DataSource(passiveOptions(options));
  const late = (): Error => new Error(`no answer within ${timeoutMs} ms`);
  try {
    return await settledWithin(systemClock, timeoutMs, examine(dataSource), late);
  } catch (error) {
    const problem = `The DataSource of type ${options.type} could not be examined: ${safeReason(error)}`;
    return [finding('STORE_UNREACHABLE', problem)];
  } finally {
    if (dataSource.isInitialized) dataSource.destroy().catch(() => undefined);
  }
}

async function examine(dataSource: DataSource): Promise<Finding[]> {
  await dataSource.initialize();
  const columns = dataSource.entityMetadatas.flatMap((entity) => findSnowflakeColumns(entity).all);
  if (columns.length === 0) return examineRounding(dataSource);
  try {
    await requireExactColumns(dataSource, columns);
    return [];
  } catch (error) {
    if (error instanceof LossyDriverError)
      return [finding('DRIVER_ROUNDS', error.message, { remedy: error.remedy })];
    if (error instanceof ColumnTypeError) return [finding('COLUMN_TYPE', error.message)];
    throw error;
  }
}

/** Without entities the doctor can't know whether a bigint column will hold IDs. */
async function examineRounding(dataSource: DataSource): Promise<Finding[]> {
  const { type } = dataSource.options;
  const family = FAMILIES.find(({ includes }) => includes.test(type));
  if (family === undefined) return [];
  const [row] = (await dataSource.query(`SELECT ${family.probe} AS probe`)) as { probe?: unknown }[];
  const returned = String(row?.probe);
  if (returned === PROBE) return [];
  const { message } = new LossyDriverError(type, returned, '');
  // SQLite's driver rounds unless it is told otherwise, and entities with varchar IDs don't mind.
  const severity: Severity = type === 'better-sqlite3' ? 'warning' : 'error';
  return [finding('DRIVER_ROUNDS', message.trim(), { remedy: family.remedy, severity })];
}
