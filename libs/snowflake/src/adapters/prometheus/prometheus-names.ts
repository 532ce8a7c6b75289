import { INSTANCE_ATTRIBUTE, RENEWAL_DURATION } from '../metrics/metrics.js';

/** Returns the name of a label. */
export function labelName(attribute: string): string {
  return attribute.replaceAll('.', '_');
}

/** Returns labels with the names of Prometheus. */
export function labelsOf(attributes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [labelName(name), value]));
}

/** Returns the name of a metric by the conventions of Prometheus: with its base unit, and `_total` for counters. */
export function metricName(metric: {
  readonly name: string;
  readonly unit: string;
  readonly kind?: string;
}): string {
  const { name, unit, kind } = metric;
  return name.replaceAll('.', '_') + (unit === 's' ? '_seconds' : '') + (kind === 'counter' ? '_total' : '');
}

export const INSTANCE_LABEL = labelName(INSTANCE_ATTRIBUTE);
export const RENEWALS = metricName(RENEWAL_DURATION);
