import { readFileSync } from 'node:fs';
import type { KeysResult } from '../../bench/keys/result.js';
import { MarkdownPage, ROOT } from './markdown.js';

/** What `npm run bench` wrote. */
function results<Data>(name: string): Data {
  return (JSON.parse(readFileSync(`${ROOT}/docs/bench/${name}.json`, 'utf8')) as { data: Data }).data;
}

/** PostgreSQL, MariaDB and SQLite. */
interface Db {
  databases: {
    operations: { operation: string; byKey: Record<string, { ratio: number }> }[];
  }[];
}

/** In the order of the table. */
const KEYS = ['snowflake', 'segments', 'stepped', 'sequence_table', 'uuid_v7', 'uuid_v4', 'snowflake_series'];

interface Lease {
  calls: Record<'renewal', { cpuUs: number }>;
  commandRate: { perHolder: number };
  crowd: { holders: number; medianMs: number };
}

interface Service {
  singleIds: { costs: { name: string; cpuUs: number }[]; ratio: number };
  latencies: { p50Ms: number; p99Ms: number }[];
  batches: { cpuUs: number; idsPerSecondPerCore: number }[];
  holders: { corePercent: number };
  repeatedIds: number;
}

interface Segments {
  speeds: { what: string; ns: number }[];
  traffic: { starved: number }[];
}

interface Ids {
  quick: boolean;
  comparison: {
    rival: { name: string };
    speed: { bigintNs?: number; stringNs?: number };
    burstDuplicates: number;
    clockStep?: { duplicates: number; refusal?: string };
  }[];
  ratios: { what: string; ours: string; against: string; timesAsFast: number }[];
  /** `Date.now()`, a bigint and a string. */
  clockCost: { dateNowNs: number; perTurn: { medianNs: number }[] };
}

const ns = (value: number | undefined): string => {
  if (value === undefined) return '-';
  return value >= 100 ? count(Math.round(value)) : value.toFixed(1);
};
const count = (value: number): string => value.toLocaleString('en');

const page = MarkdownPage.read('docs/explanation/benchmarks.md');
const readme = MarkdownPage.read('README.md');

describe('the figures of the benchmarks', () => {
  const ids = results<Ids>('ids');

  it('the published figures come from a full run', () => {
    expect(ids.quick).toBe(false);
  });

  it('the table of other packages has the figures of the last run', () => {
    const [table] = page.tablesUnder('Other packages');
    const expected = ids.comparison.map(({ rival, speed, burstDuplicates, clockStep }) => [
      rival.name,
      ns(speed.bigintNs),
      ns(speed.stringNs),
      count(burstDuplicates),
      clockStep ? (clockStep.refusal ? 'refuses' : count(clockStep.duplicates)) : '-',
    ]);
    expect(table?.rows).toEqual(expected);
  });

  it('the table of keys has the figures of the last run', () => {
    const [table] = page.tablesUnder('Rows in a database');
    const expected = KEYS.map((key) => [ratioCell('insert', key), ratioCell('bulk insert', key)]);
    expect(table?.rows.map(([, ...cells]) => cells)).toEqual(expected);
  });

  it('the table of "Choose an ID" has the figures of the last run', () => {
    const [table] = MarkdownPage.read('docs/guides/choose-an-id.md').tablesUnder('Measured sizes and speeds');
    const databases = results<KeysResult[]>('keys').map(({ keys }) => keys);
    const cells = (cell: (key: KeysResult['keys'][number]) => string): string[] =>
      databases[0]!.map((_, at) => databases.map((keys) => cell(keys[at]!)).join(' / '));
    const bytes = cells(({ bytesPerRow }) => String(bytesPerRow));
    const inserts = cells(({ insert }) => insert.ratio.toFixed(2));
    const joins = cells(({ join }) => join.ratio.toFixed(2));
    expect(table?.rows.map(([, ...row]) => row)).toEqual(
      bytes.map((size, at) => [size, inserts[at], joins[at]]),
    );
  });

  it('the table of servers has the figures of the last run', () => {
    const [table] = page.tablesUnder('The ID service');
    const { costs } = results<Service>('service').singleIds;
    const expected = costs.map(({ name, cpuUs }) => [name, ns(cpuUs)]);
    expect(table?.rows).toEqual(expected);
  });

  it('the text about the ID service has the figures of the last run', () => {
    const { singleIds, latencies, batches, holders, repeatedIds } = results<Service>('service');
    const [overHttp] = latencies;
    expect(repeatedIds).toBe(0);
    const figures = [
      `${singleIds.ratio.toFixed(2)} times`,
      `at most ${overHttp?.p50Ms.toFixed(2)} ms, and 99 % at most ${overHttp?.p99Ms.toFixed(2)} ms`,
      ...batches.map(({ cpuUs }) => `${ns(cpuUs)} µs`),
      batches
        .map(({ idsPerSecondPerCore }) => (idsPerSecondPerCore / 1e6).toFixed(1))
        .join(', ')
        .replace(/,(?=[^,]*$)/, ' and'),
      `${holders.corePercent.toFixed(0)} % of a core of the service`,
    ];
    expect(missing(figures)).toEqual([]);
  });

  it('the text about segments has the figures of the last run', () => {
    const { speeds, traffic } = results<Segments>('segments');
    const [emptyNs, nextNs, , uuidNs] = speeds.map((speed) => speed.ns) as [number, number, number, number];
    const figures = [
      `takes ${ns(nextNs)} ns, compared with ${ns(emptyNs)} ns for an empty function`,
      `takes ${(uuidNs / nextNs).toFixed(0)} times as long`,
    ];
    expect(missing(figures)).toEqual([]);
    expect(traffic.map(({ starved }) => starved)).toEqual([0, 0, 0, 0]);
  });

  it('the text about leases has the figures of the last run', () => {
    const { calls, commandRate, crowd } = results<Lease>('lease');
    const figures = [
      `${calls.renewal.cpuUs.toFixed(0)} µs`,
      `${commandRate.perHolder.toFixed(1)} commands per minute`,
      `${crowd.medianMs.toFixed(0)} ms`,
    ];
    expect(missing(figures)).toEqual([]);
  });

  it('the text about IDs and the README have the figures of the last run', () => {
    const maker = ids.comparison.find(({ rival }) => rival.name.endsWith('SnowflakeIdMaker'));
    const { dateNowNs, perTurn } = ids.clockCost;
    const [clockNs = 0, bigintNs = 0, stringNs = 0] = perTurn.map(({ medianNs }) => medianNs);
    expect(readme.text).toContain(`${Math.round(maker!.speed.stringNs!)} ns`);
    const figures = [
      `${timesAsFast(ids, 'bigint')} times as fast`,
      `${timesAsFast(ids, 'string')} times as fast`,
      `${timesAsFast(ids, 'string', 'crypto.randomUUID')} times as fast as \`crypto.randomUUID()\``,
      `${(bigintNs / clockNs).toFixed(1)} times as long as \`Date.now()\`, or ${(stringNs / clockNs).toFixed(1)} times for a string`,
      `reading the clock once takes ${dateNowNs.toFixed(0)} ns`,
    ];
    expect(missing(figures)).toEqual([]);
  });
});

/** Text in the lines of the page may be wrapped anywhere. */
function missing(figures: readonly string[]): string[] {
  const text = page.text.replaceAll(/\s+/g, ' ');
  return figures.filter((figure) => !text.includes(figure));
}

function ratioCell(operation: string, key: string): string {
  return operationOn(operation)
    .map((measured) => measured?.byKey[key]?.ratio.toFixed(2) ?? '-')
    .join(' / ');
}

function operationOn(name: string): (Db['databases'][number]['operations'][number] | undefined)[] {
  return results<Db>('db').databases.map(({ operations }) =>
    operations.find(({ operation }) => operation === name),
  );
}

function timesAsFast({ ratios }: Ids, what: string, other?: string): string {
  const found = ratios.find(
    ({ ours, what: kind, against }) =>
      ours.endsWith('SnowflakeIdMaker') &&
      kind === what &&
      (other ? against === other : against !== 'crypto.randomUUID'),
  );
  return (found?.timesAsFast ?? 0).toFixed(1);
}

describe('the comparison of the README', () => {
  const [table] = readme.tablesUnder('Comparison');
  const cell = (feature: string, name: string): string =>
    table?.rows.find(([row = '']) => row.includes(feature))?.[table.columns.indexOf(name)] ?? '';

  it.each((table?.columns ?? []).slice(1, 3))('has for %s what the last run measured', (name) => {
    const { comparison } = results<Ids>('ids');
    const { clockStep, burstDuplicates } = comparison.find(({ rival }) => rival.name === name)!;
    expect(cell('clock steps back', name) === 'repeats IDs').toBe(clockStep!.duplicates > 0);
    expect(cell('in a millisecond', name) === 'repeats IDs').toBe(burstDuplicates > 0);
  });
});
