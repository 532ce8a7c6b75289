import { Test, type TestingModule } from '@nestjs/testing';
import { SnowflakeOpenTelemetryModule } from 'nestjs-snowflake/opentelemetry';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { StoreUnavailableError } from 'nestjs-snowflake/store';
import { memorySegmentStore, SegmentModule, Segments } from 'nestjs-snowflake-segments';
import type { SegmentStore } from 'nestjs-snowflake-segments/store';
import { Registry } from 'prom-client';
import { seriesOf } from '../../../test/adapters/prometheus-text.js';
import { Telemetry } from '../../../test/adapters/telemetry.js';
import { waitFor } from '../../../test/support/wait.js';

const WITHIN_MS = 20_000;

/** A store that refuses claims after a call of `break()`. */
function breakableStore(): { readonly store: SegmentStore; break(): void } {
  const healthy = memorySegmentStore();
  let isBroken = false;
  const store = new Proxy(healthy, {
    get(target, name) {
      if (name === 'claim' && isBroken) {
        return () => Promise.reject(new StoreUnavailableError('The store of the test is broken.'));
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  return { store, break: () => void (isBroken = true) };
}

describe('the metrics of segments', () => {
  const registry = new Registry();
  const telemetry = new Telemetry();
  const breakable = breakableStore();
  let app: TestingModule;
  const value = async (series: string): Promise<number | undefined> =>
    seriesOf(await registry.metrics()).get(series);

  beforeAll(async () => {
    app = await Test.createTestingModule({
      imports: [
        SegmentModule.forRoot({ store: breakable.store, tags: ['order', 'invoice'], stopTimeoutMs: 100 }),
        SnowflakePrometheusModule.forRoot({ registry }),
        SnowflakeOpenTelemetryModule.forRoot({ meterProvider: telemetry.provider }),
      ],
    }).compile();
    app.useLogger(false);
    await app.init();
  });
  afterAll(async () => {
    await app?.close();
    await telemetry.provider.shutdown();
  });

  it('show the tags with numbers at hand, and what was claimed', async () => {
    const segments = app.get(Segments);
    const claimed = segments.tags.reduce((sum, tag) => sum + segments.source(tag).status().left, 0);
    expect(claimed).toBeGreaterThan(0);
    expect(await value('snowflake_segments_tags{snowflake_state="ready"}')).toBe(2);
    expect(await value('snowflake_segments_tags{snowflake_state="exhausted"}')).toBe(0);
    expect(await value('snowflake_segments_failing')).toBe(0);
    expect(await value('snowflake_segments_claimed_total')).toBe(claimed);
    expect(await telemetry.value('snowflake.segments.claimed', {})).toBe(claimed);
    expect(await telemetry.value('snowflake.segments.tags', { 'snowflake.state': 'ready' })).toBe(2);
  });

  it('show the tags whose claims fail, and then those without a number', async () => {
    breakable.break();
    const source = app.get(Segments).source('order');
    await waitFor('the end of the numbers', WITHIN_MS, () => {
      if (source.canIssue) source.nextMany(Math.min(source.status().left, 1000));
      return !source.canIssue;
    });
    await waitFor('a failed claim', WITHIN_MS, async () => (await value('snowflake_segments_failing')) === 1);
    expect(await value('snowflake_segments_tags{snowflake_state="exhausted"}')).toBe(1);
    expect(await telemetry.value('snowflake.segments.failing', {})).toBe(1);
  });

  it('leave the registry when the app has shut down', async () => {
    await app.close();
    expect(registry.getMetricsAsArray()).toEqual([]);
  });
});
