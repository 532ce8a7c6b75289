export { SegmentModule } from './segment.module.js';
export type {
  SegmentModuleAsyncOptions,
  SegmentModuleExtras,
  SegmentModuleOptions,
  SegmentOptionsFactory,
} from './segment.module-definition.js';
export { getSegmentToken, InjectSegment } from './segment.tokens.js';
