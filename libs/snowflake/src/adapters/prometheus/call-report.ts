import { Counter, Histogram, type Metric, type Registry } from 'prom-client';
import type { CallMeter, MeasuredCall, MeasuredKind } from '../../kit/call-meter.js';
import {
  attributesOfCall,
  attributesOfDuration,
  CALL_BUCKETS,
  CALL_METRICS,
  type CallMetrics,
} from '../metrics/metrics.js';
import { labelName, labelsOf, metricName } from './prometheus-names.js';
import { refuseTakenNames, unregister } from './registered-metrics.js';

/** The counter of calls. It refers to its report, so that all apps with one registry share one report. */
class CallCounter extends Counter {
  constructor(
    registry: Registry,
    { attribute, calls }: CallMetrics,
    readonly report: CallReport,
  ) {
    super({
      name: metricName(calls),
      help: calls.description,
      labelNames: [attribute, 'error.type'].map(labelName),
      registers: [registry],
    });
  }
}

/** The metrics of all measured calls of one kind that report to one registry. They are in the registry as long as it has a meter. */
export class CallReport {
  private readonly meters = new Set<CallMeter>();
  /** Labels by operation and code, of which there are few: to make them costs more than to count. */
  private readonly labels = new Map<string, Record<string, string>>();
  private readonly calls: CallCounter;
  private readonly durations: Histogram;
  private readonly registered: ReadonlyMap<string, Metric>;

  private constructor(
    private readonly registry: Registry,
    private readonly metrics: CallMetrics,
  ) {
    const { attribute, duration } = metrics;
    const names = [metricName(metrics.calls), metricName(duration)] as const;
    refuseTakenNames(registry, names);
    this.calls = new CallCounter(registry, metrics, this);
    this.durations = new Histogram({
      name: names[1],
      help: duration.description,
      buckets: [...CALL_BUCKETS],
      labelNames: [labelName(attribute)],
      registers: [registry],
    });
    this.registered = new Map<string, Metric>([
      [names[0], this.calls],
      [names[1], this.durations],
    ]);
  }

  /** Returns the report of a registry. @throws InvalidOptionError if other metrics have its names */
  static of(registry: Registry, kind: MeasuredKind): CallReport {
    const metrics = CALL_METRICS[kind];
    const known: unknown = registry.getSingleMetric(metricName(metrics.calls));
    return known instanceof CallCounter ? known.report : new CallReport(registry, metrics);
  }

  /** Reports what a meter measures. @returns a function that ends the report */
  add(meter: CallMeter): () => void {
    const unsubscribe = meter.subscribe((call) => this.note(call));
    this.meters.add(meter);
    return () => {
      unsubscribe();
      this.meters.delete(meter);
      if (this.meters.size === 0) unregister(this.registry, this.registered);
    };
  }

  private note(call: MeasuredCall): void {
    const { operation, code, durationMs, count } = call;
    const { metrics } = this;
    this.calls.inc(
      this.labelsNamed(`${operation} ${code}`, () => attributesOfCall(metrics, call)),
      count,
    );
    if (operation === undefined || durationMs === undefined) return;
    const labels = this.labelsNamed(operation, () => attributesOfDuration(metrics, operation));
    this.durations.observe(labels, durationMs / 1000);
  }

  private labelsNamed(name: string, attributes: () => Record<string, string>): Record<string, string> {
    let labels = this.labels.get(name);
    if (labels === undefined) this.labels.set(name, (labels = labelsOf(attributes())));
    return labels;
  }
}
