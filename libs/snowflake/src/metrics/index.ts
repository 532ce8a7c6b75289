export { MakerObservation } from './maker-observation.js';
export {
  INSTANCE_ATTRIBUTE,
  OBSERVED_METRICS,
  type ObservedMetric,
  RENEWAL_DURATION,
  samplesOf,
} from './metrics.js';
