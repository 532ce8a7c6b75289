import type { EntityMetadata } from 'typeorm';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import type { GeneratedColumn } from './snowflake-columns.js';

/** Refuses the same object for two rows of an INSERT: both would get the ID of the first. */
export class OneRowPerObject {
  /** The objects that got an ID besides their key in this event-loop turn, in which TypeORM announces all rows of an INSERT. */
  private readonly announced = new Map<EntityMetadata, Set<object>>();

  /**
   * Notes a row that gets an ID besides its key. The key needs no check: the database refuses two rows with the same one.
   *
   * @param missing the columns whose IDs are generated for this row
   * @throws InvalidOptionError if the object is noted already
   */
  refuseSecondRow(
    entity: object,
    metadata: EntityMetadata,
    generated: readonly GeneratedColumn[],
    missing: readonly GeneratedColumn[],
  ): void {
    const beside = generated.find(({ column }) => !column.isPrimary);
    if (beside === undefined) return;
    if (this.announced.get(metadata)?.has(entity) === true) {
      throw new InvalidOptionError(
        beside.label,
        entity,
        'would be the same in two rows, which share one object',
        'Pass one object per row, for example { ...row }.',
      );
    }
    if (!missing.some(({ column }) => !column.isPrimary)) return;
    if (this.announced.size === 0) void Promise.resolve().then(() => this.announced.clear());
    const objects = this.announced.get(metadata) ?? new Set();
    this.announced.set(metadata, objects.add(entity));
  }
}
