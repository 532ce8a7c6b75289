import { readFileSync } from 'node:fs';
import { MarkdownPage, ROOT } from './markdown.js';

/** What `npm run bench` wrote. */
function results<Data>(name: string): Data {
  return (JSON.parse(readFileSync(`${ROOT}/docs/bench/${name}.json`, 'utf8')) as { data: Data }).data;
}

type Key = 'snowflake' | 'snowflake_clustered';

/** PostgreSQL, MariaDB and SQLite; the operations on the largest tables come last. */
interface Db {
  databases: {
    operations: {
      operation: string;
      ratioToControl: number;
      byKey: Partial<Record<Key, { ratio: number }>>;
    }[];
  }[];
  subscriber: { assignNs: number; incrementMicros: number; oneMoreValueMicros: number };
}

interface Operation {
  operation: string;
  byKey: Record<string, { ratio: number }>;
}

/** In the order of the table. */
const KEYS = ['snowflake', 'segments', 'stepped', 'sequence_table', 'uuid_v7', 'uuid_v4', 'snowflake_series'];

interface Lease {
  calls: Record<'renewal' | 'offlineClaim' | 'offlineClaimOfMany', { cpuUs: number }>;
  commandRate: { perHolder: number };
  crowds: {
    holders: number;
    connections: number;
    allUsed: boolean;
    medianMs: number;
    registryBytes: number;
  }[];
}

interface Service {
  singleIds: {
    costs: { name: string; cpuUs: number; perSecondPerCore: number }[];
    ratios: { ratio: number }[];
  };
  latencies: { p50Ms: number; p99Ms: number }[];
  batches: { cpuUs: number }[];
  floor: { corePercent: number };
  renewals: Record<'straight' | 'fetched' | 'throughService', { latencyP50Us: number }>[];
  holders: { corePercent: number; cpuUs: number };
  issuedIds: number;
  repeatedIds: number;
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
  exhaustion: { borrowBurstMs: number; waitShare: number };
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
    const [table] = page.tablesUnder('Beside other packages');
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
    const { databases } = results<{ databases: { operations: Operation[] }[] }>('db');
    const ratios = (operation: string, key: string): string =>
      databases
        .map(({ operations }) => operations.findLast((each) => each.operation === operation)?.byKey[key])
        .map((measured) => measured?.ratio.toFixed(2) ?? '-')
        .join(' / ');
    const expected = KEYS.map((key) => [ratios('insert', key), ratios('bulk insert', key)]);
    expect(table?.rows.map(([, ...cells]) => cells)).toEqual(expected);
  });

  it('the table of servers has the figures of the last run', () => {
    const [table] = page.tablesUnder('The ID service');
    const { costs } = results<Service>('service').singleIds;
    const expected = costs.map(({ name, cpuUs, perSecondPerCore }) => [
      name,
      ns(cpuUs),
      count(Math.round(perSecondPerCore)),
    ]);
    expect(table?.rows).toEqual(expected);
  });

  it('the text about the ID service has the figures of the last run', () => {
    const { singleIds, latencies, batches, renewals, holders, floor, ...issued } =
      results<Service>('service');
    expect(issued.repeatedIds).toBe(0);
    const ms = (us: number): string => `${(us / 1000).toFixed(2)} ms`;
    const figures = [
      `${singleIds.ratios[0]?.ratio.toFixed(2)} times`,
      ...latencies.flatMap(({ p50Ms, p99Ms }) => [`${p50Ms.toFixed(2)} ms`, `${p99Ms.toFixed(2)} ms`]),
      ...batches.map(({ cpuUs }) => `${ns(cpuUs)} µs`),
      ...renewals.flatMap((each) => [ms(each.straight.latencyP50Us), ms(each.throughService.latencyP50Us)]),
      `${holders.corePercent.toFixed(0)} % of a core of the service, ${ns(holders.cpuUs)} µs`,
      `without a store takes ${floor.corePercent.toFixed(0)} %`,
      count(issued.issuedIds),
    ];
    expect(figures.filter((figure) => !page.text.includes(figure))).toEqual([]);
  });

  it('the README and the page have the figures of the last runs', () => {
    const maker = ids.comparison.find(({ rival }) => rival.name.endsWith('SnowflakeIdMaker'));
    const bulkInsert = results<Db>('db').databases.map(({ operations }) =>
      operations.findLast(({ operation }) => operation === 'bulk insert')?.byKey.snowflake?.ratio.toFixed(2),
    );
    expect(readme.text).toContain(`${Math.round(maker!.speed.stringNs!)} ns`);
    const figures = [
      `${timesAsFast(ids, 'string')} times`,
      `${bulkInsert.join(' / ')} times`,
      `${results<Lease>('lease').calls.renewal.cpuUs.toFixed(0)} µs`,
    ];
    expect(figures.filter((figure) => !page.text.includes(figure))).toEqual([]);
  });
});

function timesAsFast({ ratios }: Ids, what: string): string {
  const found = ratios.find(
    ({ ours, what: kind, against }) =>
      ours.endsWith('SnowflakeIdMaker') && kind === what && against !== 'crypto.randomUUID',
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
