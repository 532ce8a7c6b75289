import type { EntityMetadata } from 'typeorm';
import { InvalidOptionError } from '../core/index.js';
import type { GeneratedColumn } from './snowflake-columns.js';

/** The objects that got an ID next to their key in this turn, in which TypeORM announces all rows of an INSERT. */
const announced = new Map<EntityMetadata, Set<object>>();

/**
 * Refuses an object that stands for two rows of an INSERT: both would get the ID that is made for the first. Two rows
 * with the same key are the database's to refuse, so only IDs next to a key count.
 *
 * @param missing what is made for this row
 * @throws InvalidOptionError
 */
export function refuseSecondRow(
  entity: object,
  metadata: EntityMetadata,
  generated: readonly GeneratedColumn[],
  missing: readonly GeneratedColumn[],
): void {
  const beside = generated.find(({ column }) => !column.isPrimary);
  if (beside === undefined) return;
  if (announced.get(metadata)?.has(entity) === true) {
    throw new InvalidOptionError(
      beside.label,
      entity,
      'would be the same in two rows: one object stands for both',
      'Pass an object for each row, as { ...row } is.',
    );
  }
  if (!missing.some(({ column }) => !column.isPrimary)) return;
  if (announced.size === 0) void Promise.resolve().then(() => announced.clear());
  const objects = announced.get(metadata) ?? new Set();
  announced.set(metadata, objects.add(entity));
}
