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
import { PageCode, testThatAllHaveRun } from './page-code.js';
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

/** The metrics in a table of the page: name, type and labels. */
const metricsUnder = (heading: string): (string | undefined)[][] =>
  page.page
    .rowsUnder(heading)
    .map(([metric = '', type, labels = '']) => [codeIn(metric)[0], type, ...codeIn(labels)]);

/** A metric of the code, as the tables have it. */
function rowOf(metric: (typeof OBSERVED_METRICS)[number] | (typeof SEGMENT_METRICS)[number]): string[] {
  const labels = metric.attribute === undefined ? [] : [labelName(metric.attribute)];
  return [metricName(metric), metric.kind === 'counter' ? 'counter' : 'gauge', ...labels];
}

describe('the page on metrics', () => {
  it('lists every metric with its type and labels, and no other', () => {
    const known = [...OBSERVED_METRICS.map(rowOf), [metricName(RENEWAL_DURATION), 'histogram']];
    expect(metricsUnder('All metrics').toSorted()).toEqual(known.sort());
  });

  it.each([
    ['The ID service', CALL_METRICS.service],
    ['Series', CALL_METRICS.series],
  ])('lists the metrics under "%s" with their types and labels', (heading, metrics) => {
    const { attribute, calls, duration } = metrics;
    expect(metricsUnder(heading)).toEqual([
      [metricName(calls), 'counter', labelName(attribute), labelName('error.type')],
      [metricName(duration), 'histogram', labelName(attribute)],
    ]);
  });

  it('lists the metrics of segments with their types and labels', () => {
    expect(metricsUnder('Segments')).toEqual(SEGMENT_METRICS.map(rowOf));
  });

  it('lists every alert with its severity, and no other', () => {
    const listed = page.page.rowsUnder('Alert rules');
    expect(listed.map(([alert = '', severity]) => [codeIn(alert)[0], severity])).toEqual(
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

testThatAllHaveRun(page);
