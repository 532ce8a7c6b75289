import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider, type MetricData } from '@opentelemetry/sdk-metrics';

/** An SDK whose metrics a test reads. */
export class Telemetry {
  // Reads metrics on demand; no server.
  private readonly reader = new PrometheusExporter({ preventServerStart: true });
  readonly provider = new MeterProvider({ readers: [this.reader] });

  /** The metrics of the library, by their names. */
  async collected(): Promise<Map<string, MetricData>> {
    const { resourceMetrics, errors } = await this.reader.collect();
    if (errors.length > 0) throw new AggregateError(errors, 'The metrics could not be collected');
    const scope = resourceMetrics.scopeMetrics.find((each) => each.scope.name === 'nestjs-snowflake');
    return new Map(scope?.metrics.map((metric) => [metric.descriptor.name, metric]));
  }

  /** What the exporter for Prometheus shows. */
  async prometheusText(): Promise<string> {
    const { resourceMetrics } = await this.reader.collect();
    return new PrometheusSerializer(undefined, false, undefined, true, true).serialize(resourceMetrics);
  }

  async value(name: string, attributes: Record<string, string>): Promise<unknown> {
    const points = (await this.collected()).get(name)?.dataPoints ?? [];
    const wanted = JSON.stringify(Object.entries(attributes).sort());
    return points.find((point) => JSON.stringify(Object.entries(point.attributes).sort()) === wanted)?.value;
  }
}
