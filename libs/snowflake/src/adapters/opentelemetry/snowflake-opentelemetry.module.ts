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
import { callMetersIn, segmentMetersIn } from '../../kit/nest/meters.js';
import { idMakersIn } from '../../nest/instances.js';
import { observeCalls } from './observe-calls.js';
import { observeSegments } from './observe-segments.js';
import {
  METER_NAME,
  observeSnowflakeMetrics,
  requireOpenTelemetryOptions,
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
  @Optional() @Inject(OPTIONS) private readonly options?: SnowflakeOpenTelemetryOptions;
  private readonly endings: (() => void)[] = [];

  /** Uses another meter provider than the global one. @throws InvalidOptionError */
  static forRoot(options: SnowflakeOpenTelemetryOptions = {}): DynamicModule {
    requireOpenTelemetryOptions(options);
    return { module: this, providers: [{ provide: OPTIONS, useValue: options }] };
  }

  /** Observes all makers, services and segments, which exist by now. The metrics of a maker end by themselves when it stops. */
  onApplicationBootstrap(): void {
    for (const [instance, maker] of idMakersIn(this.modules)) {
      observeSnowflakeMetrics(maker, { ...this.options, instance });
    }
    const provider = this.options?.meterProvider ?? metrics.getMeterProvider();
    for (const meter of callMetersIn(this.modules))
      this.endings.push(observeCalls(meter, provider, METER_NAME));
    for (const meter of segmentMetersIn(this.modules))
      this.endings.push(observeSegments(meter, provider, METER_NAME));
  }

  /** Requests have ended. */
  onApplicationShutdown(): void {
    for (const end of this.endings.splice(0)) end();
  }
}
