import { Inject } from '@nestjs/common';
import { TAG_NAME } from '../segments/segments-options.js';

/** Returns the injection token of a tag's source. @throws InvalidOptionError */
export function getSegmentToken(tag: string): string {
  return `SegmentSource:${TAG_NAME.check('tag', tag)}`;
}

/**
 * Injects the {@link SegmentSource} of a tag. `SegmentModule` must list the tag.
 *
 * @throws InvalidOptionError if `tag` is not a valid name
 * @example
 * ```ts
 * export class TicketsService {
 *   constructor(@InjectSegment('ticket') private readonly numbers: SegmentSource) {}
 *
 *   open(subject: string): Ticket {
 *     return { number: this.numbers.next(), subject };
 *   }
 * }
 * ```
 */
export const InjectSegment = (tag: string): PropertyDecorator & ParameterDecorator =>
  Inject(getSegmentToken(tag));
