import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { type Checked, checkedOptions } from '../../core/options/option-rule.js';
import { AppReport } from '../metrics/app-report.js';
import { CallReport } from './call-report.js';
import {
  collectSnowflakeMetrics,
  PROMETHEUS_OPTIONS,
  type SnowflakePrometheusOptions,
} from './collect-snowflake-metrics.js';
import { SegmentReport } from './segment-report.js';

const OPTIONS = Symbol('nestjs-snowflake: options of prom-client');

/**
 * Adds the metrics of every instance of the app to a registry of prom-client, until the app has shut down. Import the class
 * to use the global registry, or `forRoot()` for another one.
 *
 * @example
 * ```ts
 * // metrics.module.ts: once, for every SnowflakeModule of the app
 * @Module({ imports: [SnowflakePrometheusModule] })
 * export class MetricsModule {}
 * ```
 */
@Module({})
export class SnowflakePrometheusModule implements OnApplicationBootstrap, OnApplicationShutdown {
  @Inject(ModulesContainer) private readonly modules!: ModulesContainer;
  @Optional() @Inject(OPTIONS) private readonly options: Checked<typeof PROMETHEUS_OPTIONS> = checkedOptions(
    'options',
    {},
    PROMETHEUS_OPTIONS,
  );
  private readonly report = new AppReport();

  /** Uses another registry than the global one. @throws InvalidOptionError */
  static forRoot(options: SnowflakePrometheusOptions = {}): DynamicModule {
    const checked = checkedOptions('options', options, PROMETHEUS_OPTIONS);
    return { module: this, providers: [{ provide: OPTIONS, useValue: checked }] };
  }

  /** Adds all makers, services, series and segments, which exist by now. */
  onApplicationBootstrap(): void {
    const { registry, inspect } = this.options;
    this.report.begin(this.modules, {
      maker: (instance, maker) => collectSnowflakeMetrics(maker, { registry, inspect, instance }),
      calls: (meter) => CallReport.of(registry, meter.kind).add(meter),
      segments: (meter) => SegmentReport.of(registry).add(meter),
    });
  }

  /** Requests have ended. */
  onApplicationShutdown(): void {
    this.report.end();
  }
}
