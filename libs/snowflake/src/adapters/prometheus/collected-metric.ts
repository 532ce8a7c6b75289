import { Counter, Gauge, type Metric, type Registry } from 'prom-client';
import { type ObservedMetric, samplesOf } from '../metrics/metrics.js';
import { labelName, labelsOf, metricName } from './prometheus-names.js';

type Labels = Record<string, string>;

/** What is read when the registry is scraped. */
export interface Collected<Reading> {
  /** The attributes of all its values. */
  readonly attributes: Readonly<Record<string, string>>;
  read(): Reading;
}

/** Registers a metric that is read when the registry is scraped. `shared` are the attributes of all its values. */
export function registerCollected<Reading>(
  metric: ObservedMetric<Reading>,
  shared: readonly string[],
  registry: Registry,
  collected: ReadonlySet<Collected<Reading>>,
): Metric {
  const { attribute } = metric;
  const configuration = {
    name: metricName(metric),
    help: metric.description,
    labelNames: [...shared, ...(attribute === undefined ? [] : [attribute])].map(labelName),
    registers: [registry],
    aggregator: metric.inCluster,
  };
  if (metric.kind === 'counter') {
    return new Counter({
      ...configuration,
      collect() {
        this.reset();
        forEachSample(metric, collected, (labels, value) => this.inc(labels, value));
      },
    });
  }
  return new Gauge({
    ...configuration,
    collect() {
      this.reset();
      forEachSample(metric, collected, (labels, value) => {
        if (metric.kind === 'sum') this.inc(labels, value);
        else this.set(labels, value);
      });
    },
  });
}

function forEachSample<Reading>(
  metric: ObservedMetric<Reading>,
  collected: ReadonlySet<Collected<Reading>>,
  report: (labels: Labels, value: number) => void,
): void {
  for (const each of collected) {
    for (const { attributes, value } of samplesOf(metric, each.attributes, each.read())) {
      report(labelsOf(attributes), value);
    }
  }
}
