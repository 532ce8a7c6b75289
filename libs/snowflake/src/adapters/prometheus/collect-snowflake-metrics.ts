import { register, type Registry } from 'prom-client';
import { DEFAULT_INSTANCE } from '../../core/ids/id-source-name.js';
import { requireBoolean, requireMethods, requireOptions } from '../../core/options/option-checks.js';
import type { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import { requireInstanceName } from '../../nest/snowflake.tokens.js';
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

/** Checks the options of the module. @throws InvalidOptionError */
export function requirePrometheusOptions(options: SnowflakePrometheusOptions): void {
  requireOptions('options', options, { registry: true, inspect: true });
  requireRegistry(options.registry ?? register);
  requireBoolean('inspect', options.inspect ?? false);
}

/**
 * Adds the metrics of an ID maker to a registry of prom-client, until the maker stops. They are read when the registry is
 * scraped. Without Nest, call it for each maker; in a Nest app, `SnowflakePrometheusModule` does so.
 *
 * Makers with the same name add up in counters; the other metrics show the latest of them.
 *
 * @returns a function that removes the metrics of this maker earlier
 * @throws InvalidOptionError, also if the registry has other metrics of these names
 */
export function collectSnowflakeMetrics(
  ids: SnowflakeIdMaker,
  options: CollectSnowflakeMetricsOptions = {},
): () => void {
  requireOptions('options', options, { registry: true, inspect: true, instance: true });
  requireMethods('ids', ids, ['status', 'subscribe', 'nowMs', 'inspect'], 'Pass a SnowflakeIdMaker.');
  const { registry = register, instance = DEFAULT_INSTANCE, inspect = false } = options;
  requireInstanceName('instance', instance);
  requireBoolean('inspect', inspect);
  return RegistryReport.of(requireRegistry(registry)).add(instance, ids, inspect);
}

function requireRegistry(registry: Registry): Registry {
  return requireMethods(
    'registry',
    registry,
    ['registerMetric', 'getSingleMetric', 'removeSingleMetric'],
    'Pass a Registry of prom-client, or omit the option to use the global one.',
  );
}
