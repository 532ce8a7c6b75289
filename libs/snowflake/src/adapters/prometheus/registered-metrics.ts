import type { Metric, Registry } from 'prom-client';
import { InvalidOptionError } from '../../core/errors/input-errors.js';

/** @throws InvalidOptionError if a registry has other metrics of these names */
export function refuseTakenNames(registry: Registry, names: readonly string[]): void {
  const taken = names.find((name) => registry.getSingleMetric(name) !== undefined);
  if (taken === undefined) return;
  throw new InvalidOptionError(
    'registry',
    taken,
    'has a metric of this name that this entry point did not register',
    'Pass another registry, or install nestjs-snowflake once: `npm ls nestjs-snowflake` shows the copies.',
  );
}

/** Removes only these metrics, because a registry may have been cleared and filled again. */
export function unregister(registry: Registry, metrics: ReadonlyMap<string, Metric>): void {
  for (const [name, metric] of metrics) {
    if (registry.getSingleMetric(name) === metric) registry.removeSingleMetric(name);
  }
}
