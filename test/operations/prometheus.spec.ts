import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { HttpApp } from '../adapters/http-apps.js';
import { seriesOf } from '../adapters/prometheus-text.js';
import { ROOT } from '../docs/markdown.js';
import { requireBinary } from '../support/servers/binaries.js';
import { type RedisServer, startRedis } from '../support/servers/index.js';
import { namesIn } from './support/promql.js';
import { startScrapedApp } from './support/scraped-app.js';
import { alerts, panels, variables } from './support/shipped-files.js';

/** Labels that Prometheus adds to each series, and one that a rule makes. */
const OTHER_LABELS = ['job', 'instance', 'worker_id'];

/** The metrics of a page, also those without a value now: not every store can tell how many processes wait. */
const familiesIn = (text: string): string[] => [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!);

let redis: RedisServer;
let app: HttpApp;

beforeAll(async () => {
  redis = await startRedis();
  app = await startScrapedApp(redis.url);
});
afterAll(async () => {
  await app?.stop();
  await redis?.stop();
});

describe('the dashboard and the alert rules', () => {
  const expressions = [...alerts, ...panels, ...variables];

  it('names only metrics and labels that an app exposes', async () => {
    const text = await app.text('/metrics');
    const series = [...seriesOf(text).keys()];
    const metrics = new Set([...series.map((each) => each.replace(/\{.*/, '')), ...familiesIn(text)]);
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

  it('uses every metric of the library', async () => {
    const known = familiesIn(await app.text('/metrics'));
    const used = new Set(expressions.flatMap(([, expr]) => [...namesIn(expr).metrics]));
    const family = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');
    expect(known.sort()).toEqual([...new Set([...used].map(family))].sort());
  });

  it('finds a wrong name in PromQL (control)', () => {
    expect(namesIn('sum by (wrong) (rate(missing_total{state="a"}[5m]))')).toEqual({
      metrics: new Set(['missing_total']),
      labels: new Set(['wrong', 'state']),
    });
    expect(() => namesIn('sum by (')).toThrow('Not PromQL');
  });
});

describe('each alert rule', () => {
  it('fires each alert on its own problem, and on nothing else', async () => {
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
