import { Counter, Histogram, type Metric, type Registry } from 'prom-client';
import type { CallMeter, MeasuredCall } from '../../kit/call-meter.js';
import {
  attributesOfCall,
  attributesOfDuration,
  SERVICE_CALL_DURATION,
  SERVICE_CALLS,
} from '../metrics/metrics.js';
import { labelName, labelsOf, metricName } from './prometheus-names.js';
import { refuseTakenNames, unregister } from './registered-metrics.js';

const CALLS = metricName(SERVICE_CALLS);
const DURATION = metricName(SERVICE_CALL_DURATION);

/** The counter of calls. It refers to its report, so that all apps with one registry share one report. */
class CallCounter extends Counter {
  constructor(
    registry: Registry,
    readonly report: CallReport,
  ) {
    super({
      name: CALLS,
      help: SERVICE_CALLS.description,
      labelNames: SERVICE_CALLS.attributes.map(labelName),
      registers: [registry],
    });
  }
}

/** The metrics of all ID services that report to one registry. They are in the registry as long as it has a service. */
export class CallReport {
  private readonly meters = new Set<CallMeter>();
  /** Labels by operation and code, of which there are few: to make them costs more than to count. */
  private readonly labels = new Map<string, Record<string, string>>();
  private readonly calls: CallCounter;
  private readonly durations: Histogram;
  private readonly metrics: ReadonlyMap<string, Metric>;

  private constructor(private readonly registry: Registry) {
    refuseTakenNames(registry, [CALLS, DURATION]);
    this.calls = new CallCounter(registry, this);
    this.durations = new Histogram({
      name: DURATION,
      help: SERVICE_CALL_DURATION.description,
      buckets: [...SERVICE_CALL_DURATION.buckets],
      labelNames: SERVICE_CALL_DURATION.attributes.map(labelName),
      registers: [registry],
    });
    this.metrics = new Map<string, Metric>([
      [CALLS, this.calls],
      [DURATION, this.durations],
    ]);
  }

  /** Returns the report of a registry. @throws InvalidOptionError if other metrics have its names */
  static of(registry: Registry): CallReport {
    const known: unknown = registry.getSingleMetric(CALLS);
    return known instanceof CallCounter ? known.report : new CallReport(registry);
  }

  /** Reports the calls of a service. @returns a function that ends the report */
  add(meter: CallMeter): () => void {
    const unsubscribe = meter.subscribe((call) => this.note(call));
    this.meters.add(meter);
    return () => {
      unsubscribe();
      this.meters.delete(meter);
      if (this.meters.size === 0) unregister(this.registry, this.metrics);
    };
  }

  private note(call: MeasuredCall): void {
    const { operation, code, durationMs } = call;
    this.calls.inc(this.labelsNamed(`${operation} ${code}`, () => attributesOfCall(call)));
    if (operation === undefined || durationMs === undefined) return;
    const labels = this.labelsNamed(operation, () => attributesOfDuration(operation));
    this.durations.observe(labels, durationMs / 1000);
  }

  private labelsNamed(name: string, attributes: () => Record<string, string>): Record<string, string> {
    let labels = this.labels.get(name);
    if (labels === undefined) this.labels.set(name, (labels = labelsOf(attributes())));
    return labels;
  }
}
