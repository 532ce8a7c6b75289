import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm';
import { findSubscriber } from '../typeorm/attach.js';
import { sourceOf } from '../typeorm/attached-sources.js';
import { findSnowflakeColumns, readOwn, type GeneratedColumn } from '../typeorm/snowflake-columns.js';
import { isMissing } from '../typeorm/written-ids.js';

/** More turns of the microtask queue than `SnowflakeSubscriber` takes from a source that is ready to the ID of the row. */
const TURNS = 50;
const ROUNDS = 10;

/** Knows when the IDs of a row are assigned that `SnowflakeSubscriber` makes: in the same turn, or when a source has some. */
export class AssignedIds {
  private readonly known = new WeakMap<EntityMetadata, readonly GeneratedColumn[]>();

  /**
   * Resolves when the row has its IDs, on which the key of its document can depend. The sources bound the wait.
   *
   * @throws any error of a source, as `SnowflakeSubscriber` does
   */
  async of(dataSource: DataSource, metadata: EntityMetadata, row: ObjectLiteral): Promise<void> {
    // TypeORM calls all subscribers in one turn, in any order: the one of Snowflake IDs may come later.
    await Promise.resolve();
    const subscriber = findSubscriber(dataSource);
    const missing = (): GeneratedColumn[] =>
      this.columnsOf(metadata).filter((column) => isMissing(readOwn(column, row)));
    if (subscriber === undefined || missing().length === 0) return;
    // It waits for the same sources, more than once if other rows take what has come. If it fails, so does the INSERT.
    for (let round = 0; round < ROUNDS && missing().length > 0; round += 1) {
      await Promise.all(missing().map((column) => sourceOf(subscriber, dataSource, column).ready()));
      for (let turn = 0; turn < TURNS && missing().length > 0; turn += 1) await Promise.resolve();
    }
  }

  private columnsOf(metadata: EntityMetadata): readonly GeneratedColumn[] {
    const columns = this.known.get(metadata) ?? findSnowflakeColumns(metadata).generated;
    this.known.set(metadata, columns);
    return columns;
  }
}
