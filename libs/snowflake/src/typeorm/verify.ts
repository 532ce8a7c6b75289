import type { DataSource } from 'typeorm';
import { InvalidOptionError, MissingSubscriberError } from '../core/index.js';
import { findSubscriber } from './attach.js';
import { requireExactBigInts } from './driver-precision.js';
import { snowflakeColumnsOf } from './snowflake-columns.js';

/**
 * Refuses a DataSource that could lose or round IDs: entities with `@SnowflakeId()` and no subscriber, a generator that
 * nobody attached, a driver that rounds 64-bit integers. The driver is asked for 2^53 + 1 in one query, and only when
 * an entity has an ID of type `bigint`. A Nest app needs no call: `SnowflakeModule` does it while the app boots.
 *
 * @param knownGenerators names that will be attached before the first row is inserted
 * @throws MissingSubscriberError, UnknownInstanceError, LossyDriverError
 * @throws InvalidOptionError when the DataSource is not initialized
 */
export async function verifySnowflakeDataSource(
  dataSource: DataSource,
  knownGenerators: ReadonlySet<string> = new Set(),
): Promise<void> {
  if (!dataSource.isInitialized) {
    throw new InvalidOptionError(
      'dataSource',
      dataSource,
      'is not initialized, so its entities are unknown',
      'Call verifySnowflakeDataSource() after await dataSource.initialize().',
    );
  }
  const columns = dataSource.entityMetadatas.map(snowflakeColumnsOf);
  const subscriber = findSubscriber(dataSource);
  for (const generated of columns.flatMap((found) => found.generated)) {
    if (subscriber === undefined) throw new MissingSubscriberError(generated.label);
    if (!knownGenerators.has(generated.generator)) subscriber.sourceFor(dataSource, generated);
  }
  if (columns.some(({ hasBigInt }) => hasBigInt)) await requireExactBigInts(dataSource);
}
