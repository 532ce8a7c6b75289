import { register, type Registry } from 'prom-client';
import { checkedOptions, type OptionRules, withMethods } from '../../core/options/option-rule.js';
import type { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import { INSPECT, INSTANCE, requireMaker } from '../metrics/reporting-options.js';
import { RegistryReport } from './registry-report.js';

/** Options of `SnowflakePrometheusModule`. */
export interface SnowflakePrometheusOptions {
  /**
   * The registry of prom-client that receives the metrics.
   *
   * @defaultValue `register`, the global one
   */
  readonly registry?: Registry;
  /**
   * Whether to report how many worker IDs of each namespace are held, and how many processes wait for one. Reads the registry of the
   * store, at most once a minute and only while metrics are collected. One process of a namespace is enough.
   *
   * @defaultValue `false`
   */
  readonly inspect?: boolean;
}

/** Options of {@link collectSnowflakeMetrics}. */
export interface CollectSnowflakeMetricsOptions extends SnowflakePrometheusOptions {
  /**
   * Value of the label `snowflake_instance`.
   * Bounds: 1 to 64 letters, digits, `_`, `.` or `-`.
   *
   * @defaultValue `'default'`
   */
  readonly instance?: string;
}

/** The rules of {@link SnowflakePrometheusOptions}. */
export const PROMETHEUS_OPTIONS = {
  registry: withMethods<Registry>(
    'Pass a Registry of prom-client, or omit the option to use the global one.',
    'registerMetric',
    'getSingleMetric',
    'removeSingleMetric',
  ).or(register),
  inspect: INSPECT,
} satisfies OptionRules<SnowflakePrometheusOptions>;

const COLLECT_OPTIONS = {
  ...PROMETHEUS_OPTIONS,
  instance: INSTANCE,
} satisfies OptionRules<CollectSnowflakeMetricsOptions>;

/**
 * Adds the metrics of an ID maker to a registry of prom-client, until the maker stops. They are read when the registry is
 * scraped. Without Nest, call it for each maker; in a Nest app, `SnowflakePrometheusModule` does so.
 *
 * Makers with the same name add up in counters; the other metrics show the latest of them.
 *
 * @returns a function that removes the metrics of this maker earlier
 * @throws InvalidOptionError if an option is invalid, or the registry has other metrics of these names
 */
export function collectSnowflakeMetrics(
  ids: SnowflakeIdMaker,
  options: CollectSnowflakeMetricsOptions = {},
): () => void {
  const { registry, instance, inspect } = checkedOptions('options', options, COLLECT_OPTIONS);
  return RegistryReport.of(registry).add(instance, requireMaker(ids), inspect);
}
