import { type Meter, type Observable, ValueType } from '@opentelemetry/api';
import type { ObservedMetric } from '../metrics/metrics.js';

/** Makes the instrument of a metric that is read when it is collected. */
export function instrumentOf(
  { name, kind, unit, description }: Omit<ObservedMetric, 'read'>,
  meter: Meter,
): Observable {
  const options = { unit, description, valueType: unit === 's' ? ValueType.DOUBLE : ValueType.INT };
  switch (kind) {
    case 'counter':
      return meter.createObservableCounter(name, options);
    case 'sum':
      return meter.createObservableUpDownCounter(name, options);
    case 'gauge':
      return meter.createObservableGauge(name, options);
  }
}
