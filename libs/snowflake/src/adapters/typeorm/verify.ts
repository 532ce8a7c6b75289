import { InstanceChecker, type DataSource } from 'typeorm';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { MissingSubscriberError } from '../../core/errors/setup-errors.js';
import { requireMethods } from '../../core/options/option-checks.js';
import { sourceOf } from './attached-sources.js';
import { findSubscriber, requireDataSource } from './attach.js';
import { requireExactColumns } from './column-types.js';
import { isUnwrapped } from './schema-marks.js';
import { findSnowflakeColumns } from './snowflake-columns.js';
import { SNOWFLAKE_COLUMNS } from './snowflake-marks.js';

/**
 * Refuses a DataSource that could lose or round IDs: entities with `@SnowflakeId()` without a subscriber, an instance that is
 * not attached, a driver that rounds 64-bit integers, a column that can't hold 63 bits. Sends one query, or none if no
 * entity has a Snowflake column. A Nest app doesn't need to call it: `SnowflakeModule` does so while the app starts.
 *
 * @param knownInstances names that will be attached before the first row is inserted
 * @throws MissingSubscriberError, UnknownInstanceError, LossyDriverError, ColumnTypeError
 * @throws InvalidOptionError if the DataSource is not initialized, an EntitySchema is not wrapped, or another version of the
 * library has declared a column
 */
export async function verifySnowflakeDataSource(
  dataSource: DataSource,
  knownInstances: ReadonlySet<string> = new Set(),
): Promise<void> {
  requireDataSource(dataSource);
  requireMethods('knownInstances', knownInstances, ['has'], "Pass a Set of names: new Set(['audit']).");
  if (!dataSource.isInitialized) {
    throw new InvalidOptionError(
      'dataSource',
      dataSource,
      'is not initialized, so its entities are unknown',
      'Call verifySnowflakeDataSource() after await dataSource.initialize().',
    );
  }
  for (const metadata of dataSource.entityMetadatas) SNOWFLAKE_COLUMNS.requireOneVersion(metadata);
  requireWrappedSchemas(dataSource);
  const columns = dataSource.entityMetadatas.map(findSnowflakeColumns);
  const subscriber = findSubscriber(dataSource);
  for (const generated of columns.flatMap((found) => found.generated)) {
    if (subscriber === undefined) throw new MissingSubscriberError(generated.label);
    const { kind, name } = generated.source;
    if (kind === 'segment' || !knownInstances.has(name)) sourceOf(subscriber, dataSource, generated);
  }
  await requireExactColumns(
    dataSource,
    columns.flatMap(({ all }) => all),
  );
}

/**
 * Refuses an `EntitySchema` with Snowflake columns that is not wrapped by `snowflakeSchema()`.
 *
 * @throws InvalidOptionError that names the schema
 */
export function requireWrappedSchemas({ options }: Pick<DataSource, 'options'>): void {
  for (const entity of Object.values(options.entities ?? {}) as unknown[]) {
    if (!InstanceChecker.isEntitySchema(entity) || !isUnwrapped(entity)) continue;
    throw new InvalidOptionError(
      'entities',
      entity.options.name,
      'has columns of snowflakeIdColumn() or snowflakeColumn(), but is not wrapped',
      'Wrap the schema: snowflakeSchema(new EntitySchema({ … })).',
    );
  }
}
