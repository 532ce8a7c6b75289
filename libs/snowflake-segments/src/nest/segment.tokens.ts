import { Inject } from '@nestjs/common';
import { TAG_NAME } from '../segments/segments-options.js';

/** Returns the injection token of a tag's source. @throws InvalidOptionError */
export function getSegmentToken(tag: string): string {
  return `SegmentSource:${TAG_NAME.check('tag', tag)}`;
}

/** Injects the {@link SegmentSource} of a tag that the registration lists. @throws InvalidOptionError */
export const InjectSegment = (tag: string): PropertyDecorator & ParameterDecorator =>
  Inject(getSegmentToken(tag));
