import { spaceName } from '../core/options/space-name.js';
import { idDefinition, type SnowflakeIdOptions } from './column-definition.js';
import { declareProperty } from './decorators.js';
import type { IdPropertyDecorator } from './id-property-decorator.js';

const TAG_NAME = spaceName('order');

/** Options of {@link SegmentId}: those of `SnowflakeId`, without an instance. */
export type SegmentIdOptions = Omit<SnowflakeIdOptions, 'instance'>;

/**
 * Declares a primary key column whose numbers come from the segments of a tag (or another column, with `primary: false`).
 *
 * ```ts
 * @Entity() class Order { @SegmentId('order') id!: string }
 * ```
 *
 * `SegmentModule` must list the tag. The property is a string, as TypeORM reads a bigint. Everything else is as with
 * `@SnowflakeId()`.
 *
 * @throws InvalidOptionError at class definition, if the tag or an option is wrong
 */
export function SegmentId(tag: string, options: SegmentIdOptions = {}): IdPropertyDecorator {
  TAG_NAME.check('tag', tag);
  return (target: object, property: string | symbol) =>
    declareProperty(target, property, {
      ...idDefinition(options),
      mark: { source: { kind: 'segment', name: tag } },
    });
}
