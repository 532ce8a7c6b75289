import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { Segments } from 'nestjs-snowflake-segments';
import type { HttpApp } from '../../../adapters/http-apps.js';
import {
  type PrometheusServer,
  type RedisServer,
  startPrometheus,
  startRedis,
} from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { startScrapedApp } from '../../../operations/support/scraped-app.js';
import { alerts, panels, RULES_FILE, variables } from '../../../operations/support/shipped-files.js';

const TIMEOUT_MS = 80_000;

let redis: RedisServer;
let app: HttpApp;
let prometheus: PrometheusServer;

beforeAll(async () => {
  redis = await startRedis();
  app = await startScrapedApp(redis.url);
  prometheus = await startPrometheus({ app: [app.url] }, RULES_FILE);
});
afterAll(async () => {
  await prometheus?.stop();
  await app?.stop();
  await redis?.stop();
});

describe('a real Prometheus', () => {
  it('reads the scrape of a real app', async () => {
    interface Targets {
      readonly activeTargets: readonly { readonly health: string; readonly lastError: string }[];
    }
    let last: Targets['activeTargets'] = [];
    // A scrape of a busy machine may take longer than Prometheus waits; the next one is in time.
    const [target] = await waitFor(
      () => `a scrape: ${JSON.stringify(last)}`,
      TIMEOUT_MS,
      async () => {
        last = (await prometheus.api<Targets>('targets')).activeTargets;
        return last.some(({ health }) => health === 'up') && last;
      },
    );
    expect(target).toMatchObject({ health: 'up', lastError: '' });
  });

  it('returns the type and the help of every metric', async () => {
    const known = await waitFor('the metadata', TIMEOUT_MS, async () => {
      const data =
        await prometheus.api<Record<string, readonly { type: string; help: string }[]>>('metadata');
      return Object.keys(data).length > 10 && data;
    });
    for (const [name, [metadata]] of Object.entries(known)) {
      expect(metadata?.help).not.toBe('');
      expect([name, metadata?.type === 'counter']).toEqual([name, name.endsWith('_total')]);
    }
  });

  it('loads every alert rule', async () => {
    interface Loaded {
      readonly groups: readonly {
        readonly rules: readonly { readonly name: string; readonly health: string }[];
      }[];
    }
    const loaded = await waitFor('the rules to be evaluated', TIMEOUT_MS, async () => {
      const { groups } = await prometheus.api<Loaded>('rules');
      const all = groups.flatMap((group) => group.rules);
      return all.length > 0 && all.every(({ health }) => health !== 'unknown') && all;
    });
    expect(loaded.map(({ name, health }) => [name, health])).toEqual(alerts.map(([name]) => [name, 'ok']));
  });

  it.each(panels)('answers the query of the panel "%s"', async (_, expr) => {
    app.app.get(SnowflakeIdMaker).nextId();
    app.app.get(Segments).source('order').next();
    const found = await waitFor(`values of ${expr}`, TIMEOUT_MS, async () => {
      const rows = await prometheus.query(expr);
      return rows.length > 0 && rows;
    });
    expect(found.length).toBeGreaterThan(0);
  });

  it.each(variables)('answers the variable "%s" of the dashboard', async (label, selector) => {
    const expected = label === 'job' ? ['app'] : ['audit', 'default'];
    const values = await waitFor(`the values of ${label}`, TIMEOUT_MS, async () => {
      const found = await prometheus.api<string[]>(`label/${label}/values`, { 'match[]': selector });
      return found.length >= expected.length && found;
    });
    expect(values).toEqual(expected);
  });

  it('fires the alerts on exhausted processes and on failing calls when the store is unreachable', async () => {
    await redis.stop();
    const ids = app.app.get(SnowflakeIdMaker);
    await waitFor('the state degraded', TIMEOUT_MS, () => ids.status().state === 'degraded');
    try {
      while (ids.canIssue) ids.nextBigInts(10_000);
    } catch {
      // The window is used up.
    }
    interface Alerts {
      readonly alerts: readonly { readonly state: string; readonly labels: Record<string, string> }[];
    }
    const seen = await waitFor('both alerts', TIMEOUT_MS, async () => {
      const { alerts: active } = await prometheus.api<Alerts>('alerts');
      const states = new Map(active.map(({ state, labels }) => [labels.alertname, { state, labels }]));
      return states.has('SnowflakeExhausted') && states.has('SnowflakeLeaseCallsFail') && states;
    });
    expect(seen.get('SnowflakeExhausted')).toMatchObject({
      state: 'firing',
      labels: { severity: 'page', job: 'app', snowflake_instance: 'default' },
    });
    expect(seen.get('SnowflakeLeaseCallsFail')?.labels).toMatchObject({
      error_type: 'SNOWFLAKE_STORE_UNAVAILABLE',
    });
  });
});
