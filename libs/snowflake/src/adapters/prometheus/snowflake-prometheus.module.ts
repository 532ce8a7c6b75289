import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { register } from 'prom-client';
import { callMetersIn, segmentMetersIn } from '../../kit/nest/meters.js';
import { idMakersIn } from '../../nest/instances.js';
import { CallReport } from './call-report.js';
import { SegmentReport } from './segment-report.js';
import {
  collectSnowflakeMetrics,
  requirePrometheusOptions,
  type SnowflakePrometheusOptions,
} from './collect-snowflake-metrics.js';

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
  @Optional() @Inject(OPTIONS) private readonly options?: SnowflakePrometheusOptions;
  private readonly endings: (() => void)[] = [];

  /** Uses another registry than the global one. @throws InvalidOptionError */
  static forRoot(options: SnowflakePrometheusOptions = {}): DynamicModule {
    requirePrometheusOptions(options);
    return { module: this, providers: [{ provide: OPTIONS, useValue: options }] };
  }

  /** Adds all makers, services and segments, which exist by now. The metrics of a maker are removed when it stops. */
  onApplicationBootstrap(): void {
    for (const [instance, maker] of idMakersIn(this.modules)) {
      collectSnowflakeMetrics(maker, { ...this.options, instance });
    }
    const registry = this.options?.registry ?? register;
    for (const meter of callMetersIn(this.modules)) this.endings.push(CallReport.of(registry).add(meter));
    for (const meter of segmentMetersIn(this.modules))
      this.endings.push(SegmentReport.of(registry).add(meter));
  }

  /** Requests have ended. */
  onApplicationShutdown(): void {
    for (const end of this.endings.splice(0)) end();
  }
}
