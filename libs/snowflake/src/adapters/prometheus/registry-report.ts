import { Histogram, type Metric, type Registry } from 'prom-client';
import type { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import { MakerObservation } from '../metrics/maker-observation.js';
import { INSTANCE_ATTRIBUTE, OBSERVED_METRICS, RENEWAL_DURATION } from '../metrics/metrics.js';
import { registerCollected } from './collected-metric.js';
import { INSTANCE_LABEL, metricName, RENEWALS } from './prometheus-names.js';
import { refuseTakenNames, unregister } from './registered-metrics.js';

/** The histogram of renewals. It refers to its report, so that all apps with one registry share one report. */
class RenewalHistogram extends Histogram {
  constructor(
    registry: Registry,
    readonly report: RegistryReport,
  ) {
    super({
      name: RENEWALS,
      help: RENEWAL_DURATION.description,
      buckets: [...RENEWAL_DURATION.buckets],
      labelNames: [INSTANCE_LABEL],
      registers: [registry],
    });
  }
}

/** The metrics of all ID makers that report to one registry. They are in the registry as long as it has a maker. */
export class RegistryReport {
  private readonly observations = new Set<MakerObservation>();
  private readonly renewals: RenewalHistogram;
  private readonly metrics: ReadonlyMap<string, Metric>;

  private constructor(private readonly registry: Registry) {
    refuseTakenNames(registry, [RENEWALS, ...OBSERVED_METRICS.map(metricName)]);
    this.renewals = new RenewalHistogram(registry, this);
    const collected = OBSERVED_METRICS.map((metric) => {
      const made = registerCollected(metric, [INSTANCE_ATTRIBUTE], registry, this.observations);
      return [metricName(metric), made] as const;
    });
    this.metrics = new Map<string, Metric>([[RENEWALS, this.renewals], ...collected]);
  }

  /** Returns the report of a registry. @throws InvalidOptionError if other metrics have its names */
  static of(registry: Registry): RegistryReport {
    const known: unknown = registry.getSingleMetric(RENEWALS);
    return known instanceof RenewalHistogram ? known.report : new RegistryReport(registry);
  }

  /** Reports a maker until it stops. @returns a function that ends the report earlier */
  add(instance: string, maker: SnowflakeIdMaker, inspect: boolean): () => void {
    const labels = { [INSTANCE_LABEL]: instance };
    if (!this.has(instance)) this.renewals.zero(labels);
    const listener = {
      renewed: (seconds: number) => this.renewals.observe(labels, seconds),
      ended: () => this.remove(observation),
    };
    const observation = new MakerObservation(instance, maker, listener, inspect);
    this.observations.add(observation);
    return () => observation.end();
  }

  private has(instance: string): boolean {
    return [...this.observations].some((observation) => observation.instance === instance);
  }

  private remove(observation: MakerObservation): void {
    this.observations.delete(observation);
    if (!this.has(observation.instance)) this.renewals.remove({ [INSTANCE_LABEL]: observation.instance });
    if (this.observations.size === 0) unregister(this.registry, this.metrics);
  }
}
