import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Controller, Get, Header, Module } from '@nestjs/common';
import { load } from 'js-yaml';
import { SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { register } from 'prom-client';
import { HttpApp } from '../doors/http-apps.js';
import { seriesOf } from '../doors/prometheus-text.js';
import { ROOT } from '../docs/markdown.js';
import { requireBinary } from '../support/servers/binaries.js';
import {
  type PrometheusServer,
  type RedisServer,
  startPrometheus,
  startRedis,
} from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { namesIn } from './support/promql.js';

const PATIENCE_MS = 40_000;
const RULES_FILE = join(ROOT, 'docs/operations/alert-rules.yml');
/** Labels that Prometheus adds to each series, and one that a rule makes. */
const OTHER_LABELS = ['job', 'instance', 'worker_id'];

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}
interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
}

const rules = load(readFileSync(RULES_FILE, 'utf8')) as Rules;
const dashboard = JSON.parse(
  readFileSync(join(ROOT, 'docs/operations/grafana-dashboard.json'), 'utf8'),
) as Dashboard;

/** A query as Grafana sends it, with every variable at "All". */
const asSent = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '30s').replaceAll(/\$(job|name)\b/g, '.*');

const alerts = rules.groups.flatMap((group) => group.rules.map(({ alert, expr }) => [alert, expr] as const));
const panels = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [title, asSent(expr)] as const),
);
/** `label_values(metric{…}, label)` is Grafana's own: its parts. */
const variables = dashboard.templating.list.flatMap(({ query }) => {
  const [, selector, label] =
    /^label_values\((.*), (\w+)\)$/.exec(typeof query === 'string' ? '' : query.query) ?? [];
  return selector === undefined || label === undefined ? [] : [[label, asSent(selector)] as const];
});

@Controller('metrics')
class MetricsController {
  @Get()
  @Header('content-type', register.contentType)
  metrics(): Promise<string> {
    return register.metrics();
  }
}

let redis: RedisServer;
let app: HttpApp;
let prometheus: PrometheusServer;

beforeAll(async () => {
  redis = await startRedis();
  @Module({
    imports: [
      SnowflakeModule.forRoot({
        store: redisLeaseStore({ url: redis.url, namespace: 'shop' }),
        lease: { windowMs: 2_000, onEmptyStore: 'assumeNew' },
      }),
      SnowflakeModule.forRoot({ name: 'audit', store: staticLeaseStore({ workerId: 7 }) }),
      SnowflakePrometheusModule,
    ],
    controllers: [MetricsController],
  })
  class AppModule {}
  app = await HttpApp.start('Express', AppModule);
  prometheus = await startPrometheus(app.url, RULES_FILE);
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
    const [target] = await waitFor('the first scrape', PATIENCE_MS, async () => {
      const { activeTargets } = await prometheus.api<Targets>('targets');
      return activeTargets.some(({ health }) => health !== 'unknown') && activeTargets;
    });
    expect(target).toMatchObject({ health: 'up', lastError: '' });
  });

  it('knows the type and the help of every metric', async () => {
    const known = await waitFor('the metadata', PATIENCE_MS, async () => {
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
    const loaded = await waitFor('the rules to be evaluated', PATIENCE_MS, async () => {
      const { groups } = await prometheus.api<Loaded>('rules');
      const all = groups.flatMap((group) => group.rules);
      return all.length > 0 && all.every(({ health }) => health !== 'unknown') && all;
    });
    expect(loaded.map(({ name, health }) => [name, health])).toEqual(alerts.map(([name]) => [name, 'ok']));
  });

  it.each(panels)('answers the query of the panel "%s"', async (_, expr) => {
    app.app.get(SnowflakeIdMaker).nextId();
    const found = await waitFor(`values of ${expr}`, PATIENCE_MS, async () => {
      const rows = await prometheus.query(expr);
      return rows.length > 0 && rows;
    });
    expect(found.length).toBeGreaterThan(0);
  });

  it.each(variables)('answers the variable "%s" of the dashboard', async (label, selector) => {
    const values = await prometheus.api<string[]>(`label/${label}/values`, { 'match[]': selector });
    expect(values).toEqual(label === 'job' ? ['app'] : ['audit', 'default']);
  });

  it('fires the alerts on exhausted processes and on failing calls when the store is away', async () => {
    await redis.stop();
    const ids = app.app.get(SnowflakeIdMaker);
    await waitFor('the state degraded', PATIENCE_MS, () => ids.status().state === 'degraded');
    try {
      while (ids.canIssue) ids.nextBigInts(10_000);
    } catch {
      // The window is used up.
    }
    interface Alerts {
      readonly alerts: readonly { readonly state: string; readonly labels: Record<string, string> }[];
    }
    const seen = await waitFor('both alerts', PATIENCE_MS, async () => {
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

describe('the dashboard and the alert rules', () => {
  const expressions = [...alerts, ...panels, ...variables];

  it('name only metrics and labels of the scrape', async () => {
    const series = [...seriesOf(await app.text('/metrics')).keys()];
    const metrics = new Set(series.map((each) => each.replace(/\{.*/, '')));
    const labels = new Set(
      series.flatMap((each) => [...each.matchAll(/[{,](\w+)=/g)].map(([, name]) => name!)),
    );
    const unknown = expressions.flatMap(([where, expr]) => {
      const named = namesIn(expr);
      return [
        ...[...named.metrics].filter((name) => !metrics.has(name)),
        ...[...named.labels].filter((name) => !labels.has(name) && !OTHER_LABELS.includes(name)),
      ].map((name) => `${where}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });

  it('use every metric', async () => {
    const known = [...seriesOf(await app.text('/metrics')).keys()].map((each) => each.replace(/\{.*/, ''));
    const used = new Set(expressions.flatMap(([, expr]) => [...namesIn(expr).metrics]));
    const family = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');
    expect([...new Set(known.map(family))].sort()).toEqual([...new Set([...used].map(family))].sort());
  });

  it('would be caught with another name (control)', () => {
    expect(namesIn('sum by (wrong) (rate(missing_total{state="a"}[5m]))')).toEqual({
      metrics: new Set(['missing_total']),
      labels: new Set(['wrong', 'state']),
    });
    expect(() => namesIn('sum by (')).toThrow('Not PromQL');
  });
});

describe('each alert rule', () => {
  it('fires on what it is for, and on nothing else', async () => {
    const tests = 'test/operations/support/alert-rules.test.yml';
    const { stdout } = await promisify(execFile)(requireBinary('promtool'), [
      'test',
      'rules',
      join(ROOT, tests),
    ]);
    expect(stdout).toContain('SUCCESS');
    const tested = readFileSync(join(ROOT, tests), 'utf8');
    for (const [alert] of alerts) expect(tested).toContain(`alertname: ${alert}`);
  });
});
