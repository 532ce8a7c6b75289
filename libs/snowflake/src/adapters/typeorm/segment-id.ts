import { spaceName } from '../../core/options/space-name.js';
import { idDefinition, type SnowflakeIdOptions } from './column-definition.js';
import { declareProperty } from './decorators.js';
import type { IdPropertyDecorator } from './id-property-decorator.js';

const TAG_NAME = spaceName('order');

/** Options of {@link SegmentId}: those of `SnowflakeId`, without an instance. */
export type SegmentIdOptions = Omit<SnowflakeIdOptions, 'instance'>;

/**
 * Declares a primary key column whose numbers come from the segments of a tag (or another column, with `primary: false`).
 *
 * `SegmentModule` must list the tag. The property is a string, because TypeORM reads a bigint as one. Everything else is as with
 * `@SnowflakeId()`.
 *
 * @throws InvalidOptionError at class definition, if the tag or an option is wrong
 * @example
 * ```ts
 * // ticket.entity.ts
 * @Entity('tickets')
 * export class Ticket {
 *   @SegmentId('ticket') id!: string; // '1', '2', …
 * }
 * ```
 */
export function SegmentId(tag: string, options: SegmentIdOptions = {}): IdPropertyDecorator {
  TAG_NAME.check('tag', tag);
  return (target: object, property: string | symbol) =>
    declareProperty(target, property, {
      ...idDefinition(options),
      mark: { source: { kind: 'segment', name: tag } },
    });
}
