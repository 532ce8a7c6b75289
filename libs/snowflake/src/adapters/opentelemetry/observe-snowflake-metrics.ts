import { type BatchObservableCallback, type Meter, type MeterProvider, metrics } from '@opentelemetry/api';
import { DEFAULT_INSTANCE } from '../../core/ids/id-source-name.js';
import { requireBoolean, requireMethods, requireOptions } from '../../core/options/option-checks.js';
import type { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import { INSTANCE_ATTRIBUTE, OBSERVED_METRICS, RENEWAL_DURATION, samplesOf } from '../metrics/metrics.js';
import { instrumentOf } from './instrument-of.js';
import { MakerObservation } from '../metrics/maker-observation.js';
import { requireInstanceName } from '../../nest/snowflake.tokens.js';

/** The name of the instrumentation scope. */
export const METER_NAME = 'nestjs-snowflake';

/** Options of `SnowflakeOpenTelemetryModule`. */
export interface SnowflakeOpenTelemetryOptions {
  /**
   * The provider that receives the metrics.
   *
   * @defaultValue the global meter provider at the end of the boot
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

/** Checks the options of the module. @throws InvalidOptionError */
export function requireOpenTelemetryOptions(options: SnowflakeOpenTelemetryOptions): void {
  requireOptions('options', options, { meterProvider: true, inspect: true });
  requireBoolean('inspect', options.inspect ?? false);
  if (options.meterProvider !== undefined) requireProvider(options.meterProvider);
}

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
  requireOptions('options', options, { meterProvider: true, inspect: true, instance: true });
  requireMethods('ids', ids, ['status', 'subscribe', 'nowMs', 'inspect'], 'Pass a SnowflakeIdMaker.');
  const {
    meterProvider = metrics.getMeterProvider(),
    instance = DEFAULT_INSTANCE,
    inspect = false,
  } = options;
  requireInstanceName('instance', instance);
  requireBoolean('inspect', inspect);
  return observe(instance, ids, requireProvider(meterProvider).getMeter(METER_NAME), inspect);
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

function requireProvider(meterProvider: MeterProvider): MeterProvider {
  return requireMethods(
    'meterProvider',
    meterProvider,
    ['getMeter'],
    'Pass a MeterProvider of @opentelemetry/api, or omit the option to use the global one.',
  );
}
