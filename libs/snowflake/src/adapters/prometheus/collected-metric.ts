import { Counter, Gauge, type Metric, type Registry } from 'prom-client';
import type { MakerObservation } from '../metrics/maker-observation.js';
import { type ObservedMetric, samplesOf } from '../metrics/metrics.js';
import { INSTANCE_LABEL, labelName, labelsOf, metricName } from './prometheus-names.js';

type Labels = Record<string, string>;

/** Registers a metric that reads the makers when the registry is scraped. */
export function registerCollected(
  metric: ObservedMetric,
  registry: Registry,
  observations: ReadonlySet<MakerObservation>,
): Metric {
  const { attribute } = metric;
  const configuration = {
    name: metricName(metric),
    help: metric.description,
    labelNames: [INSTANCE_LABEL, ...(attribute === undefined ? [] : [labelName(attribute)])],
    registers: [registry],
    aggregator: metric.inCluster,
  };
  if (metric.kind === 'counter') {
    return new Counter({
      ...configuration,
      collect() {
        this.reset();
        forEachSample(metric, observations, (labels, value) => this.inc(labels, value));
      },
    });
  }
  return new Gauge({
    ...configuration,
    collect() {
      this.reset();
      forEachSample(metric, observations, (labels, value) => {
        if (metric.kind === 'sum') this.inc(labels, value);
        else this.set(labels, value);
      });
    },
  });
}

function forEachSample(
  metric: ObservedMetric,
  observations: ReadonlySet<MakerObservation>,
  report: (labels: Labels, value: number) => void,
): void {
  for (const observation of observations) {
    for (const { attributes, value } of samplesOf(metric, observation.instance, observation.read())) {
      report(labelsOf(attributes), value);
    }
  }
}
