import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { metrics } from '@opentelemetry/api';
import { type Checked, checkedOptions } from '../../core/options/option-rule.js';
import { AppReport } from '../metrics/app-report.js';
import { observeCalls } from './observe-calls.js';
import { observeSegments } from './observe-segments.js';
import {
  METER_NAME,
  observeSnowflakeMetrics,
  OPENTELEMETRY_OPTIONS,
  type SnowflakeOpenTelemetryOptions,
} from './observe-snowflake-metrics.js';

const OPTIONS = Symbol('nestjs-snowflake: options of OpenTelemetry');

/**
 * Reports the metrics of every instance of the app to OpenTelemetry, until the app has shut down. Import the class to use the
 * global meter provider, or `forRoot()` for another one. Start the SDK before the app.
 *
 * @example
 * ```ts
 * // metrics.module.ts: once, for every SnowflakeModule of the app
 * @Module({ imports: [SnowflakeOpenTelemetryModule] })
 * export class MetricsModule {}
 * ```
 */
@Module({})
export class SnowflakeOpenTelemetryModule implements OnApplicationBootstrap, OnApplicationShutdown {
  @Inject(ModulesContainer) private readonly modules!: ModulesContainer;
  @Optional() @Inject(OPTIONS) private readonly options: Checked<typeof OPENTELEMETRY_OPTIONS> =
    checkedOptions('options', {}, OPENTELEMETRY_OPTIONS);
  private readonly report = new AppReport();

  /** Uses another meter provider than the global one. @throws InvalidOptionError */
  static forRoot(options: SnowflakeOpenTelemetryOptions = {}): DynamicModule {
    const checked = checkedOptions('options', options, OPENTELEMETRY_OPTIONS);
    return { module: this, providers: [{ provide: OPTIONS, useValue: checked }] };
  }

  /** Observes all makers, services, series and segments, which exist by now. */
  onApplicationBootstrap(): void {
    const { meterProvider = metrics.getMeterProvider(), inspect } = this.options;
    this.report.begin(this.modules, {
      maker: (instance, maker) => observeSnowflakeMetrics(maker, { meterProvider, inspect, instance }),
      calls: (meter) => observeCalls(meter, meterProvider, METER_NAME),
      segments: (meter) => observeSegments(meter, meterProvider, METER_NAME),
    });
  }

  /** Requests have ended. */
  onApplicationShutdown(): void {
    this.report.end();
  }
}
