import { Inject } from '@nestjs/common';
import { checkTagName } from '../segments-options.js';

/** Tokens within a module: its options, and how it stops. */
export const SEGMENT_OPTIONS = Symbol('nestjs-snowflake: segment options');
export const SEGMENT_TAGS = Symbol('nestjs-snowflake: segment tags');
export const SEGMENT_DRAIN = Symbol('nestjs-snowflake: segment drain');

/** Returns the injection token of a tag's source. @throws InvalidOptionError */
export function getSegmentToken(tag: string): string {
  return `SegmentSource:${checkTagName(tag)}`;
}

/** Injects the {@link SegmentSource} of a tag that the registration lists. @throws InvalidOptionError */
export const InjectSegment = (tag: string): PropertyDecorator & ParameterDecorator =>
  Inject(getSegmentToken(tag));
