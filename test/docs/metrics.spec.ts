import type { Type } from '@nestjs/common';
import { load } from 'js-yaml';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CALL_METRICS,
  OBSERVED_METRICS,
  RENEWAL_DURATION,
} from '../../libs/snowflake/src/adapters/metrics/metrics.js';
import { SEGMENT_METRICS } from '../../libs/snowflake/src/adapters/metrics/segment-metrics.js';
import { labelName, metricName } from '../../libs/snowflake/src/adapters/prometheus/prometheus-names.js';
import { openShop } from '../../libs/snowflake-series/test/support/invoices.js';
import { HttpApp } from '../adapters/http-apps.js';
import { codeIn, ROOT } from './markdown.js';
import { PageCode } from './page-code.js';
import { pagePath } from './pages.js';
import { waitFor } from '../support/wait.js';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly runbook?: string };
    }[];
  }[];
}

const page = new PageCode('docs/operations/monitoring.md');
const { groups } = load(readFileSync(join(ROOT, 'docs/operations/alert-rules.yml'), 'utf8')) as Rules;
const rules = groups.flatMap((group) => group.rules);
describe('the page on metrics', () => {
  it('lists every metric with its type and labels, and no other', () => {
    const [table] = page.page.tablesUnder('All metrics');
    const listed = table?.rows.map(([metric = '', type = '', label = '']) => [
      codeIn(metric)[0],
      type,
      ...codeIn(label),
    ]);
    const known = OBSERVED_METRICS.map((metric) => [
      metricName(metric),
      metric.kind === 'counter' ? 'counter' : 'gauge',
      ...(metric.attribute === undefined ? [] : [labelName(metric.attribute)]),
    ]);
    expect(listed?.toSorted()).toEqual([...known, [metricName(RENEWAL_DURATION), 'histogram']].sort());
  });

  it.each([
    ['The ID service', CALL_METRICS.service],
    ['Series', CALL_METRICS.series],
  ])(
    'lists the metrics under "%s" with their types and labels',
    (heading, { attribute, calls, duration }) => {
      const [table] = page.page.tablesUnder(heading);
      const listed = table?.rows.map(([metric = '', type, labels = '']) => [
        codeIn(metric)[0],
        type,
        ...codeIn(labels),
      ]);
      expect(listed).toEqual([
        [metricName(calls), 'counter', labelName(attribute), labelName('error.type')],
        [metricName(duration), 'histogram', labelName(attribute)],
      ]);
    },
  );

  it('lists the metrics of segments with their types and labels', () => {
    const [table] = page.page.tablesUnder('Segments');
    const listed = table?.rows.map(([metric = '', type, label = '']) => [
      codeIn(metric)[0],
      type,
      ...codeIn(label),
    ]);
    expect(listed).toEqual(
      SEGMENT_METRICS.map((metric) => [
        metricName(metric),
        metric.kind === 'counter' ? 'counter' : 'gauge',
        ...(metric.attribute === undefined ? [] : [labelName(metric.attribute)]),
      ]),
    );
  });

  it('lists every alert with its severity, and no other', () => {
    const [table] = page.page.tablesUnder('Alert rules');
    expect(table?.rows.map(([alert = '', severity]) => [codeIn(alert)[0], severity])).toEqual(
      rules.map(({ alert, labels }) => [alert, labels.severity]),
    );
  });

  it('has a runbook for every alert', () => {
    const runbooks = rules.map(({ annotations }) => annotations.runbook);
    expect(runbooks.filter((title = '') => pagePath(title) === undefined)).toEqual([]);
  });

  it('shows an app whose metrics Prometheus can scrape', async () => {
    await page.import('metrics.controller.ts');
    const app = await HttpApp.start('Express', await page.run<Type>('app.module.ts', 'AppModule'));
    expect(await app.text('/metrics')).toMatch(/^snowflake_worker_id\{snowflake_instance="default"\} \d+$/m);
    await app.stop();
    expect(page.notRun()).toEqual([]);
  });
});

describe('the statement of the page about series', () => {
  it('counts the transactions that wait for a number of another one', async () => {
    const { dataSource, series, close } = await openShop('postgres', 'docs_metrics');
    const [statement] = page.page.blocksIn('sql');
    const waiting = async (): Promise<number> => {
      const [row] = await dataSource.query<{ waiting: string }[]>(statement?.text ?? '');
      return Number(row?.waiting);
    };
    const take = (document: string, then?: () => Promise<void>): Promise<void> =>
      series.transaction(dataSource, async (manager) => {
        await series.next('note', { manager, document });
        await then?.();
      });
    await take('first');
    expect(await waiting()).toBe(0);
    let commit: () => void = () => undefined;
    let blocking: Promise<void> | undefined;
    await new Promise<void>((isNumbered) => {
      blocking = take('second', () => {
        isNumbered();
        return new Promise((resolve) => (commit = resolve));
      });
    });
    const blocked = ['third', 'fourth'].map((document) => take(document));
    await waitFor('both to wait', 10_000, async () => (await waiting()) === 2);
    commit();
    await Promise.all([blocking, ...blocked]);
    expect(await waiting()).toBe(0);
    await close();
  });
});
