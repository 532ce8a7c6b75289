import type { Metric, Registry } from 'prom-client';
import { memoryOf } from '../../core/process-memory.js';
import type { SegmentMeter, SegmentReading } from '../../kit/segment-meter.js';
import { SEGMENT_METRICS } from '../metrics/segment-metrics.js';
import { type Collected, registerCollected } from './collected-metric.js';
import { metricName } from './prometheus-names.js';
import { refuseTakenNames, unregister } from './registered-metrics.js';

/** The metrics of the segments of all apps that report to one registry. They are in the registry as long as it has an app. */
export class SegmentReport {
  private readonly meters = new Set<Collected<SegmentReading>>();
  private metrics: ReadonlyMap<string, Metric> = new Map();

  private constructor(private readonly registry: Registry) {}

  static of(registry: Registry): SegmentReport {
    return memoryOf(registry, 'SegmentReport', () => new SegmentReport(registry));
  }

  /** Reports the segments of an app. @returns a function that ends the report. @throws InvalidOptionError if other metrics have its names */
  add(meter: SegmentMeter): () => void {
    if (!this.isRegistered) this.register();
    const collected = { attributes: {}, read: meter.read };
    this.meters.add(collected);
    return () => {
      this.meters.delete(collected);
      if (this.meters.size === 0) unregister(this.registry, this.metrics);
    };
  }

  /** The registry may have been cleared. */
  private get isRegistered(): boolean {
    return (
      this.metrics.size > 0 &&
      [...this.metrics].every(([name, metric]) => this.registry.getSingleMetric(name) === metric)
    );
  }

  private register(): void {
    refuseTakenNames(this.registry, SEGMENT_METRICS.map(metricName));
    this.metrics = new Map(
      SEGMENT_METRICS.map((metric) => [
        metricName(metric),
        registerCollected(metric, [], this.registry, this.meters),
      ]),
    );
  }
}
