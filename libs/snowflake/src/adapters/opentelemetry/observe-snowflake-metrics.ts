import { type BatchObservableCallback, type Meter, type MeterProvider, metrics } from '@opentelemetry/api';
import { checkedOptions, type OptionRules, withMethods } from '../../core/options/option-rule.js';
import type { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import { INSTANCE_ATTRIBUTE, OBSERVED_METRICS, RENEWAL_DURATION, samplesOf } from '../metrics/metrics.js';
import { instrumentOf } from './instrument-of.js';
import { MakerObservation } from '../metrics/maker-observation.js';
import { INSPECT, INSTANCE, requireMaker } from '../metrics/reporting-options.js';

/** The name of the instrumentation scope. */
export const METER_NAME = 'nestjs-snowflake';

/** Options of `SnowflakeOpenTelemetryModule`. */
export interface SnowflakeOpenTelemetryOptions {
  /**
   * The provider that receives the metrics.
   *
   * @defaultValue the global meter provider at the end of startup
   */
  readonly meterProvider?: MeterProvider;
  /**
   * Whether to report how many worker IDs of each namespace are held, and how many processes wait for one. Reads the registry of the
   * store, at most once a minute and only while metrics are collected. One process of a namespace is enough.
   *
   * @defaultValue `false`
   */
  readonly inspect?: boolean;
}

/** Options of {@link observeSnowflakeMetrics}. */
export interface ObserveSnowflakeMetricsOptions extends SnowflakeOpenTelemetryOptions {
  /**
   * Value of the attribute `snowflake.instance`.
   * Bounds: 1 to 64 letters, digits, `_`, `.` or `-`.
   *
   * @defaultValue `'default'`
   */
  readonly instance?: string;
}

/** The rules of {@link SnowflakeOpenTelemetryOptions}. */
export const OPENTELEMETRY_OPTIONS = {
  meterProvider: withMethods<MeterProvider>(
    'Pass a MeterProvider of @opentelemetry/api, or omit the option to use the global one.',
    'getMeter',
  ).optional(),
  inspect: INSPECT,
} satisfies OptionRules<SnowflakeOpenTelemetryOptions>;

const OBSERVE_OPTIONS = {
  ...OPENTELEMETRY_OPTIONS,
  instance: INSTANCE,
} satisfies OptionRules<ObserveSnowflakeMetricsOptions>;

/**
 * Reports the metrics of an ID maker to OpenTelemetry, until the maker stops. Without Nest, call it for each maker; in a Nest
 * app, `SnowflakeOpenTelemetryModule` does so. Without an SDK, nothing is reported.
 *
 * Makers that report to one provider need different names.
 *
 * @returns a function that ends the observation earlier
 * @throws InvalidOptionError
 */
export function observeSnowflakeMetrics(
  ids: SnowflakeIdMaker,
  options: ObserveSnowflakeMetricsOptions = {},
): () => void {
  const checked = checkedOptions('options', options, OBSERVE_OPTIONS);
  const { meterProvider = metrics.getMeterProvider(), instance, inspect } = checked;
  return observe(instance, requireMaker(ids), meterProvider.getMeter(METER_NAME), inspect);
}

function observe(instance: string, ids: SnowflakeIdMaker, meter: Meter, inspect: boolean): () => void {
  const { name, buckets, unit, description } = RENEWAL_DURATION;
  const advice = { explicitBucketBoundaries: [...buckets] };
  const renewals = meter.createHistogram(name, { unit, description, advice });
  const instruments = new Map(OBSERVED_METRICS.map((metric) => [metric, instrumentOf(metric, meter)]));
  const callback: BatchObservableCallback = (result) => {
    const reading = observation.read();
    for (const [metric, instrument] of instruments) {
      for (const { value, attributes } of samplesOf(metric, observation.attributes, reading)) {
        result.observe(instrument, value, attributes);
      }
    }
  };
  const listener = {
    renewed: (seconds: number) => renewals.record(seconds, { [INSTANCE_ATTRIBUTE]: instance }),
    ended: () => meter.removeBatchObservableCallback(callback, [...instruments.values()]),
  };
  const observation = new MakerObservation(instance, ids, listener, inspect);
  meter.addBatchObservableCallback(callback, [...instruments.values()]);
  return () => observation.end();
}
