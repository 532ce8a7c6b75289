export { DecimalWriter } from './decimal-writer.js';
export { RateMeter } from './rate-meter.js';
export { type ChainView, type Rest, type Segment, SegmentChain } from './segment-chain.js';
export {
  fixedRule,
  leafRule,
  type StepRule,
  type StepView,
  timeRule,
  type TimeRuleOptions,
} from './step-rule.js';
