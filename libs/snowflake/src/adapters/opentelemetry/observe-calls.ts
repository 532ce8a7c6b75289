import type { MeterProvider } from '@opentelemetry/api';
import type { CallMeter } from '../../kit/call-meter.js';
import { attributesOfCall, attributesOfDuration, CALL_BUCKETS, CALL_METRICS } from '../metrics/metrics.js';

/** Reports measured calls. @returns a function that ends the report */
export function observeCalls(
  measured: CallMeter,
  meterProvider: MeterProvider,
  meterName: string,
): () => void {
  const meter = meterProvider.getMeter(meterName);
  const metrics = CALL_METRICS[measured.kind];
  const { calls, duration } = metrics;
  const counter = meter.createCounter(calls.name, { unit: calls.unit, description: calls.description });
  const histogram = meter.createHistogram(duration.name, {
    unit: duration.unit,
    description: duration.description,
    advice: { explicitBucketBoundaries: [...CALL_BUCKETS] },
  });
  return measured.subscribe((call) => {
    const { operation, durationMs, count = 1 } = call;
    counter.add(count, attributesOfCall(metrics, call));
    if (operation === undefined || durationMs === undefined) return;
    histogram.record(durationMs / 1000, attributesOfDuration(metrics, operation));
  });
}
