import type { BatchObservableCallback, MeterProvider } from '@opentelemetry/api';
import type { SegmentMeter } from '../../kit/segment-meter.js';
import { samplesOf } from '../metrics/metrics.js';
import { SEGMENT_METRICS } from '../metrics/segment-metrics.js';
import { instrumentOf } from './instrument-of.js';

/** Reports the segments of an app. @returns a function that ends the report */
export function observeSegments(
  segments: SegmentMeter,
  meterProvider: MeterProvider,
  meterName: string,
): () => void {
  const meter = meterProvider.getMeter(meterName);
  const instruments = new Map(SEGMENT_METRICS.map((metric) => [metric, instrumentOf(metric, meter)]));
  const callback: BatchObservableCallback = (result) => {
    const reading = segments.read();
    for (const [metric, instrument] of instruments) {
      for (const { value, attributes } of samplesOf(metric, {}, reading)) {
        result.observe(instrument, value, attributes);
      }
    }
  };
  meter.addBatchObservableCallback(callback, [...instruments.values()]);
  return () => meter.removeBatchObservableCallback(callback, [...instruments.values()]);
}
