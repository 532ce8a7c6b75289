import type { MeterProvider } from '@opentelemetry/api';
import type { CallMeter } from '../../kit/call-meter.js';
import {
  attributesOfCall,
  attributesOfDuration,
  SERVICE_CALL_DURATION,
  SERVICE_CALLS,
} from '../metrics/metrics.js';

/** Reports the calls of an ID service. @returns a function that ends the report */
export function observeCalls(calls: CallMeter, meterProvider: MeterProvider, meterName: string): () => void {
  const meter = meterProvider.getMeter(meterName);
  const { name, unit, description } = SERVICE_CALLS;
  const counter = meter.createCounter(name, { unit, description });
  const histogram = meter.createHistogram(SERVICE_CALL_DURATION.name, {
    unit: SERVICE_CALL_DURATION.unit,
    description: SERVICE_CALL_DURATION.description,
    advice: { explicitBucketBoundaries: [...SERVICE_CALL_DURATION.buckets] },
  });
  return calls.subscribe((call) => {
    counter.add(1, attributesOfCall(call));
    if (call.operation === undefined || call.durationMs === undefined) return;
    histogram.record(call.durationMs / 1000, attributesOfDuration(call.operation));
  });
}
