import 'reflect-metadata';
import { Test, type TestingModule } from '@nestjs/testing';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { SnowflakeOpenTelemetryModule } from 'nestjs-snowflake/opentelemetry';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { Series, SeriesConflictError, SeriesModule, SeriesSubscriber } from 'nestjs-snowflake-series';
import { Registry } from 'prom-client';
import type { DataSource, EntityManager } from 'typeorm';
import { seriesOf } from '../../../test/adapters/prometheus-text.js';
import { Telemetry } from '../../../test/adapters/telemetry.js';
import { invoice, Invoice, optionsFor, Receipt, RULES } from './support/invoices.js';

const LOCK_TIMEOUT_MS = 300;

describe('the metrics of series', () => {
  const registry = new Registry();
  const telemetry = new Telemetry();
  let app: TestingModule;
  let dataSource: DataSource;
  const value = async (sample: string): Promise<number | undefined> =>
    seriesOf(await registry.metrics()).get(sample);
  const transaction = <Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> =>
    app.get(Series).transaction(dataSource, work);

  beforeAll(async () => {
    const [options] = await optionsFor('postgres', 'series_metrics');
    app = await Test.createTestingModule({
      imports: [
        TypeOrmModule.forRoot({
          ...options,
          entities: [Invoice, Receipt],
          subscribers: [SeriesSubscriber],
          synchronize: true,
          extra: { lock_timeout: LOCK_TIMEOUT_MS },
        } as object),
        SeriesModule.forRoot({ createTable: true, series: { order: RULES } }),
        SnowflakePrometheusModule.forRoot({ registry }),
        SnowflakeOpenTelemetryModule.forRoot({ meterProvider: telemetry.provider }),
      ],
    }).compile();
    app.useLogger(false);
    await app.init();
    dataSource = app.get(getDataSourceToken());
  });
  afterAll(async () => {
    await app?.close();
    await telemetry.provider.shutdown();
  });

  it('count the numbers of columns and of calls by the name of the series, and one wait of a transaction', async () => {
    await transaction(async (manager) => {
      await manager.save([invoice('acme'), invoice('acme'), invoice('globex')]);
      await app.get(Series).next('order', { manager, scope: 'acme' });
    });
    expect(await value('snowflake_series_requests_total{snowflake_series="invoice"}')).toBe(3);
    expect(await value('snowflake_series_requests_total{snowflake_series="order"}')).toBe(1);
    expect(await value('snowflake_series_wait_seconds_count{snowflake_series="invoice"}')).toBe(1);
    expect(await telemetry.value('snowflake.series.requests', { 'snowflake.series': 'invoice' })).toBe(3);
    // Tenants are no labels.
    expect(await registry.metrics()).not.toMatch(/acme|globex/);
  });

  it('show how long a transaction waited for one that holds the counter, and that it failed', async () => {
    const next = (manager: EntityManager): Promise<unknown> =>
      app.get(Series).next('order', { manager, scope: 'held' });
    const failed =
      'snowflake_series_requests_total{snowflake_series="order",error_type="SNOWFLAKE_SERIES_CONFLICT"}';
    const waited = (bound: string): Promise<number | undefined> =>
      value(`snowflake_series_wait_seconds_bucket{le="${bound}",snowflake_series="order"}`);
    const [short = 0, all = 0] = [await waited('0.25'), await waited('+Inf')];
    // Not series.transaction(): it refuses to wait for a transaction around it.
    await dataSource.transaction(async (holder) => {
      await next(holder);
      await expect(dataSource.transaction(next)).rejects.toThrow(SeriesConflictError);
    });
    expect(await value(failed)).toBe(1);
    // That of the holder, and that of the other one, which is at least as long as its lock timeout.
    expect(await waited('+Inf')).toBe(all + 2);
    expect(await waited('0.25')).toBe(short + 1);
  });

  it('leave the registry when the app has shut down', async () => {
    await app.close();
    expect(registry.getMetricsAsArray()).toEqual([]);
  });
});
