import { readFileSync } from 'node:fs';
import type { KeysResult } from '../../bench/keys/result.js';
import { MarkdownPage, ROOT } from './markdown.js';

/** What `npm run bench` wrote. */
function results<Data>(name: string): Data {
  return (JSON.parse(readFileSync(`${ROOT}/docs/bench/${name}.json`, 'utf8')) as { data: Data }).data;
}

/** PostgreSQL, MariaDB and SQLite. */
interface Db {
  databases: { operations: { operation: string; byKey: Record<string, { ratio: number }> }[] }[];
}

/** In the order of the table. */
const KEYS = ['snowflake', 'segments', 'stepped', 'sequence_table', 'uuid_v7', 'uuid_v4', 'snowflake_series'];

interface Lease {
  calls: { renewal: { cpuUs: number } };
  commandRate: { perHolder: number };
  crowd: { medianMs: number };
}

interface Service {
  singleIds: { costs: { name: string; cpuUs: number }[]; ratio: number };
  latencies: { p50Ms: number; p99Ms: number }[];
  batches: { cpuUs: number; idsPerSecondPerCore: number }[];
  holders: { corePercent: number };
  repeatedIds: number;
}

interface Segments {
  speeds: { ns: number }[];
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

type Series = {
  database: string;
  byWay: Record<string, { oneAtATime: number; eightAtATime: number }>;
}[];

const page = MarkdownPage.read('docs/explanation/benchmarks.md');
const readme = MarkdownPage.read('README.md');
const ids = results<Ids>('ids');
const { singleIds, latencies, batches, holders, repeatedIds } = results<Service>('service');

const count = (value: number): string => value.toLocaleString('en');
const ns = (value: number | undefined): string => {
  if (value === undefined) return '-';
  return value >= 100 ? count(Math.round(value)) : value.toFixed(1);
};

describe('the tables with figures of the benchmarks', () => {
  it('the published figures come from a full run without a repeated ID', () => {
    expect({ quick: ids.quick, repeatedIds }).toEqual({ quick: false, repeatedIds: 0 });
    expect(results<Segments>('segments').traffic.filter(({ starved }) => starved > 0)).toEqual([]);
  });

  it('the table of other packages has the figures of the last run', () => {
    const expected = ids.comparison.map(({ rival, speed, burstDuplicates, clockStep }) => [
      rival.name,
      ns(speed.bigintNs),
      ns(speed.stringNs),
      count(burstDuplicates),
      clockStep ? (clockStep.refusal ? 'refuses' : count(clockStep.duplicates)) : '-',
    ]);
    expect(page.rowsUnder('Other packages')).toEqual(expected);
  });

  it('the table of keys has the figures of the last run', () => {
    const { databases } = results<Db>('db');
    const ratios = (key: string, name: string): string =>
      databases
        .map(({ operations }) => operations.find(({ operation }) => operation === name)?.byKey[key])
        .map((measured) => measured?.ratio.toFixed(2) ?? '-')
        .join(' / ');
    expect(page.rowsUnder('Rows in a database').map(([, ...cells]) => cells)).toEqual(
      KEYS.map((key) => [ratios(key, 'insert'), ratios(key, 'bulk insert')]),
    );
  });

  it('the table of "Choose an ID" has the figures of the last run', () => {
    const listed = MarkdownPage.read('docs/guides/choose-an-id.md').rowsUnder('Measured sizes and speeds');
    const databases = results<KeysResult[]>('keys').map(({ keys }) => keys);
    const inEach = (at: number, figure: (key: KeysResult['keys'][number]) => string): string =>
      databases.map((keys) => figure(keys[at]!)).join(' / ');
    expect(listed.map(([, ...cells]) => cells)).toEqual(
      databases[0]!.map((_, at) => [
        inEach(at, ({ bytesPerRow }) => String(bytesPerRow)),
        inEach(at, ({ insert }) => insert.ratio.toFixed(2)),
        inEach(at, ({ join }) => join.ratio.toFixed(2)),
      ]),
    );
  });

  it('the table of servers has the figures of the last run', () => {
    const expected = singleIds.costs.map(({ name, cpuUs }) => [name, ns(cpuUs)]);
    expect(page.rowsUnder('The ID service')).toEqual(expected);
  });

  it('the table of series has the figures of the last run', () => {
    const [table] = MarkdownPage.read('docs/reference/series.md').tablesUnder('Measured rates');
    const rates = ({ oneAtATime, eightAtATime }: Series[number]['byWay'][string]): string =>
      `${count(oneAtATime)} / ${count(eightAtATime)}`;
    expect(table!.rows).toEqual(
      results<Series>('series').map(({ database, byWay }) => [
        database,
        ...table!.columns.slice(1).map((way) => rates(byWay[way]!)),
      ]),
    );
  });
});

describe('the figures in the text', () => {
  const { calls, commandRate, crowd } = results<Lease>('lease');
  const [emptyNs = 0, nextNs = 0, , uuidNs = 0] = results<Segments>('segments').speeds.map(
    (speed) => speed.ns,
  );
  const [clockNs = 0, bigintNs = 0, stringNs = 0] = ids.clockCost.perTurn.map(({ medianNs }) => medianNs);
  const ofMaker = ids.ratios.filter(({ ours }) => ours.endsWith('SnowflakeIdMaker'));
  const timesAsFast = (what: string, isUuid = false): string => {
    const found = ofMaker.find(
      (ratio) => ratio.what === what && (ratio.against === 'crypto.randomUUID') === isUuid,
    );
    return `${found?.timesAsFast.toFixed(1)} times`;
  };

  it.each<[string, string[]]>([
    ['Benchmarks', [`${ids.clockCost.dateNowNs.toFixed(0)} ns`]],
    [
      'IDs',
      [
        timesAsFast('bigint'),
        timesAsFast('string'),
        timesAsFast('string', true),
        ...[bigintNs, stringNs].map((perId) => `${(perId / clockNs).toFixed(1)} times`),
      ],
    ],
    [
      'Numbers of segments',
      [...[nextNs, emptyNs].map((one) => `${ns(one)} ns`), (uuidNs / nextNs).toFixed(0)],
    ],
    [
      'Leases in Redis',
      [
        `${calls.renewal.cpuUs.toFixed(0)} µs`,
        `${commandRate.perHolder.toFixed(1)} commands`,
        `${crowd.medianMs.toFixed(0)} ms`,
      ],
    ],
    [
      'The ID service',
      [
        `${singleIds.ratio.toFixed(2)} times`,
        `${latencies[0]?.p50Ms.toFixed(2)} ms`,
        `${latencies[0]?.p99Ms.toFixed(2)} ms`,
        ...batches.map(({ cpuUs }) => `${ns(cpuUs)} µs`),
        ...batches.map(({ idsPerSecondPerCore }) => (idsPerSecondPerCore / 1e6).toFixed(1)),
        `${holders.corePercent.toFixed(0)} %`,
      ],
    ],
  ])('the text under "%s" has the figures of the last run', (heading, figures) => {
    // Text in the lines of the page may be wrapped anywhere.
    const section = page.text.split(/^#+ /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
    const text = section.replaceAll(/\s+/g, ' ');
    expect(figures.filter((figure) => !text.includes(figure))).toEqual([]);
  });

  it('the README has the time of a string ID', () => {
    const maker = ids.comparison.find(({ rival }) => rival.name.endsWith('SnowflakeIdMaker'));
    expect(readme.text).toContain(`${Math.round(maker!.speed.stringNs!)} ns`);
  });
});

describe('the comparison of the README', () => {
  const [table] = readme.tablesUnder('Comparison');
  const cell = (feature: string, name: string): string =>
    table?.rows.find(([row = '']) => row.includes(feature))?.[table.columns.indexOf(name)] ?? '';

  it.each((table?.columns ?? []).slice(1, 3))('has for %s what the last run measured', (name) => {
    const { clockStep, burstDuplicates } = ids.comparison.find(({ rival }) => rival.name === name)!;
    expect(cell('clock steps back', name) === 'repeats IDs').toBe(clockStep!.duplicates > 0);
    expect(cell('in a millisecond', name) === 'repeats IDs').toBe(burstDuplicates > 0);
  });
});
