import 'reflect-metadata';
import { Controller, Get, Header, Module, type Type } from '@nestjs/common';
import { SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { collectSnowflakeMetrics, SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { Counter, register, Registry } from 'prom-client';
import { SteppedClock } from '../lease/support/stepped-clock.js';
import { type RedisServer, startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { HttpApp, PLATFORMS } from './http-apps.js';
import { watchedMaker } from './watched-maker.js';
import { LONG_WINDOW } from './long-window.js';
import { seriesOf } from './prometheus-text.js';

const TIMEOUT_MS = 50_000;

@Controller('metrics')
class MetricsController {
  @Get()
  @Header('content-type', register.contentType)
  metrics(): Promise<string> {
    return register.metrics();
  }
}

function appWith(url: string): Type {
  @Module({
    imports: [
      SnowflakeModule.forRoot({ store: redisLeaseStore({ url, namespace: 'shop' }), lease: LONG_WINDOW }),
      SnowflakeModule.forRoot({ name: 'audit', store: staticLeaseStore({ workerId: 7 }) }),
      SnowflakePrometheusModule,
    ],
    controllers: [MetricsController],
  })
  class AppModule {}
  return AppModule;
}

describe.each(PLATFORMS)('the metrics of an app on %s', (platform) => {
  let redis: RedisServer;
  let app: HttpApp;
  const scrape = async (): Promise<Map<string, number>> => seriesOf(await app.text('/metrics'));
  const value = async (series: string): Promise<number | undefined> => (await scrape()).get(series);

  beforeAll(async () => {
    redis = await startRedis();
    app = await HttpApp.start(platform, appWith(redis.url));
  });
  afterAll(async () => {
    await app?.stop();
    await redis?.stop();
  });

  it('shows what every instance has issued, its state and its worker ID', async () => {
    app.app.get(SnowflakeIdMaker).nextIds(500);
    app.app.get<SnowflakeIdMaker>('SnowflakeIdMaker:audit').nextIds(3);
    const series = await scrape();
    expect(series.get('snowflake_ids_issued_total{snowflake_instance="default"}')).toBe(500);
    expect(series.get('snowflake_ids_issued_total{snowflake_instance="audit"}')).toBe(3);
    expect(series.get('snowflake_worker_id{snowflake_instance="audit"}')).toBe(7);
    for (const state of ['idle', 'acquiring', 'active', 'degraded', 'exhausted', 'stopped']) {
      const labels = `{snowflake_instance="default",snowflake_state="${state}"}`;
      expect(series.get(`snowflake_lease_state${labels}`)).toBe(state === 'active' ? 1 : 0);
    }
  });

  it('shows how much of the window is left if it ends', async () => {
    const series = await scrape();
    const left = series.get('snowflake_lease_window_left_seconds{snowflake_instance="default"}');
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left).toBeLessThanOrEqual(LONG_WINDOW.windowMs / 1000);
    expect(series.has('snowflake_lease_window_left_seconds{snowflake_instance="audit"}')).toBe(false);
  });

  it('shows how many IDs the reserve has if the window ends', async () => {
    const series = await scrape();
    const { idsLeft } = app.app.get(SnowflakeIdMaker).status();
    expect(idsLeft).toBeGreaterThan(0);
    expect(series.get('snowflake_lease_ids_left{snowflake_instance="default"}')).toBe(idsLeft);
    expect(series.has('snowflake_lease_ids_left{snowflake_instance="audit"}')).toBe(false);
  });

  it('does not read the registry unless it is asked to', async () => {
    const names = [...(await scrape()).keys()];
    expect(names.filter((name) => name.startsWith('snowflake_registry'))).toEqual([]);
  });

  it('counts renewals with their duration', async () => {
    const renewals = 'snowflake_lease_renewal_duration_seconds';
    await waitFor(
      'two renewals',
      TIMEOUT_MS,
      async () => ((await value(`${renewals}_count{snowflake_instance="default"}`)) ?? 0) >= 2,
    );
    const series = await scrape();
    expect(series.get(`${renewals}_sum{snowflake_instance="default"}`)).toBeGreaterThanOrEqual(0);
    expect(series.get(`${renewals}_bucket{le="+Inf",snowflake_instance="default"}`)).toBeGreaterThanOrEqual(
      2,
    );
    expect(series.get(`${renewals}_count{snowflake_instance="audit"}`)).toBe(0);
  });

  it('removes the metrics from the registry when the app has shut down', async () => {
    await app.stop();
    expect(register.getMetricsAsArray()).toEqual([]);
  });
});

describe('collectSnowflakeMetrics()', () => {
  it('drops its listener and its metrics when its end function is called, also twice', async () => {
    const { ids, stop, listeners } = await watchedMaker();
    const registry = new Registry();
    const end = collectSnowflakeMetrics(ids, { registry, instance: 'worker' });
    expect(listeners()).toBe(1);
    expect(await registry.metrics()).toContain('snowflake_worker_id{snowflake_instance="worker"} 7');
    end();
    end();
    expect(listeners()).toBe(0);
    expect(registry.getMetricsAsArray()).toEqual([]);
    await stop();
  });

  it('drops its listener and its metrics when the maker stops', async () => {
    const { ids, stop, listeners } = await watchedMaker();
    const registry = new Registry();
    collectSnowflakeMetrics(ids, { registry });
    await stop();
    expect(listeners()).toBe(0);
    expect(registry.getMetricsAsArray()).toEqual([]);
  });

  it('adds up the counters of makers in one registry, and keeps the metrics until the last maker stops', async () => {
    const [first, second] = [await watchedMaker(1), await watchedMaker(2)];
    const registry = new Registry();
    collectSnowflakeMetrics(first.ids, { registry });
    collectSnowflakeMetrics(second.ids, { registry });
    first.ids.nextIds(2);
    second.ids.nextIds(3);
    const issued = 'snowflake_ids_issued_total{snowflake_instance="default"}';
    expect(seriesOf(await registry.metrics()).get(issued)).toBe(5);
    await first.stop();
    expect(seriesOf(await registry.metrics()).get(issued)).toBe(3);
    await second.stop();
    expect(registry.getMetricsAsArray()).toEqual([]);
  });

  it('counts the held worker IDs of the namespace, of all its processes, if it is asked to inspect it', async () => {
    const redis = await startRedis();
    const makers = [1, 2, 3].map(
      () =>
        new SnowflakeIdMaker({
          store: redisLeaseStore({ url: redis.url, namespace: 'counted' }),
          lease: LONG_WINDOW,
        }),
    );
    await Promise.all(makers.map((ids) => ids.start()));
    const registry = new Registry();
    collectSnowflakeMetrics(makers[0]!, { registry, inspect: true });
    const inState = (state: string): string =>
      `snowflake_registry_worker_ids{snowflake_instance="default",snowflake_state="${state}"}`;
    const series = await waitFor('the counts', TIMEOUT_MS, async () => {
      const now = seriesOf(await registry.metrics());
      return now.has(inState('held')) && now;
    });
    expect(series.get(inState('held'))).toBe(3);
    expect(series.get(inState('unused'))).toBe(1021);
    await Promise.all(makers.map((ids) => ids.stop()));
    await redis.stop();
  });

  it('counts worker IDs that were replaced and steps back of the clock', async () => {
    const redis = await startRedis();
    const clock = new SteppedClock();
    const ids = new SnowflakeIdMaker(
      { store: redisLeaseStore({ url: redis.url, namespace: 'steps' }), lease: LONG_WINDOW },
      { clock },
    );
    const registry = new Registry();
    collectSnowflakeMetrics(ids, { registry });
    await ids.start();
    ids.nextId();
    clock.step(-30_000);
    ids.nextId();
    await waitFor('another worker ID', TIMEOUT_MS, () => ids.status().workerId === 1);
    const series = seriesOf(await registry.metrics());
    const cause = (name: string): string =>
      `snowflake_lease_switches_total{snowflake_instance="default",snowflake_cause="${name}"}`;
    expect(series.get(cause('switch'))).toBe(1);
    expect(series.get(cause('lost'))).toBe(0);
    expect(series.get('snowflake_clock_rollbacks_total{snowflake_instance="default"}')).toBe(1);
    await ids.stop();
    await redis.stop();
  });

  it('refuses wrong options, and a registry that has other metrics of these names', async () => {
    const { ids, stop } = await watchedMaker();
    const registry = new Registry();
    const collect = (options: object) => () => collectSnowflakeMetrics(ids, options);
    expect(collect({ registri: registry })).toThrow('Did you mean "registry"');
    expect(collect({ registry: {} })).toThrow('Pass a Registry of prom-client');
    expect(collect({ registry, inspect: 'yes' })).toThrow('inspect');
    expect(collect({ registry, instance: 'not a name' })).toThrow('is not a valid instance name');
    expect(() => SnowflakePrometheusModule.forRoot({ registry: {} as Registry })).toThrow('Pass a Registry');
    registry.registerMetric(
      new Counter({ name: 'snowflake_ids_issued_total', help: 'of another one', registers: [] }),
    );
    expect(collect({ registry })).toThrow('snowflake_ids_issued_total');
    expect(registry.getMetricsAsArray()).toHaveLength(1);
    await stop();
  });
});
