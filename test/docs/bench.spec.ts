import { readFileSync } from 'node:fs';
import { MarkdownPage, ROOT } from './markdown.js';

/** What `npm run bench`, `bench:db` and `bench:lease` wrote. */
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

interface Segments {
  speeds: { what: string; ns: number }[];
  singleCalls: { excessShare: number }[];
  traffic: { latencyMs: number; starved: number }[];
  uniqueness: { numbers: number; duplicates: number; controlDuplicates: number };
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

  it('come from full runs', () => {
    expect(ids.quick).toBe(false);
  });

  it('of other packages are those of the last run', () => {
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

  it.each([
    ['bench', figuresOfIds(ids)],
    ['bench:segments', figuresOfSegments(results<Segments>('segments'))],
    ['bench:db', figuresOfDb(results<Db>('db'))],
    ['bench:lease', figuresOfLease(results<Lease>('lease'))],
  ])('in the text are those of the last run of %s', (_, figures) => {
    expect(missingIn(page, figures)).toEqual([]);
  });

  it('of every kind of key are those of the last run', () => {
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

  it('in the README are three of them', () => {
    const maker = ids.comparison.find(({ rival }) => rival.name.endsWith('SnowflakeIdMaker'));
    const [, bulkInsert = ''] = figuresOfDb(results<Db>('db'));
    const [renewal = ''] = figuresOfLease(results<Lease>('lease'));
    const figures = [
      `**${ns(maker?.speed.stringNs)} ns for an ID as a string**`,
      `${timesAsFast(ids, 'string', false)} times as fast as the fastest other snowflake package`,
      `**${/[\d. /]+ times/.exec(bulkInsert)?.[0].trim()}** the cost of auto-increment for a row of a bulk insert`,
      `**${renewal.replace('of CPU per renewal', 'of CPU in Redis')}** for a renewal`,
    ];
    expect(missingIn(readme, figures)).toEqual([]);
  });
});

const missingIn = ({ prose }: MarkdownPage, figures: string[]): string[] => {
  const text = prose.replaceAll(/\n *|  +/g, ' ');
  return figures.filter((figure) => !text.includes(figure));
};

function figuresOfSegments({ speeds, singleCalls, traffic, uniqueness }: Segments): string[] {
  const nsOf = (what: string): number => speeds.find((each) => each.what === what)?.ns ?? Number.NaN;
  const { numbers, duplicates, controlDuplicates } = uniqueness;
  const starved = traffic.filter((each) => each.starved > 0).length;
  return [
    `takes ${nsOf('next()').toFixed(1)} ns, and ${nsOf('next() beyond 2^31').toFixed(1)} ns for a number beyond 2^31`,
    `An empty function takes ${nsOf('an empty function').toFixed(1)} ns`,
    `\`crypto.randomUUID()\` ${(nsOf('crypto.randomUUID()') / nsOf('next()')).toFixed(0)} times as long`,
    `${((singleCalls[0]?.excessShare ?? Number.NaN) * 100).toFixed(4)} % take longer than 300 ns`,
    `${starved === 0 ? 'no' : 'some'} turn of the event loop was without a number`,
    `answered after ${(traffic.at(-1)?.latencyMs ?? 0) / 1000} s`,
    `${duplicates} duplicates among ${count(numbers)} numbers of four sources`,
    `without a common counter, ${count(controlDuplicates)}`,
  ];
}

function timesAsFast({ ratios }: Ids, what: string, isUuid: boolean): string {
  const found = ratios.find(
    ({ ours, what: kind, against }) =>
      ours.endsWith('SnowflakeIdMaker') && kind === what && isUuid === (against === 'crypto.randomUUID'),
  );
  return (found?.timesAsFast ?? 0).toFixed(1);
}

function figuresOfIds(ids: Ids): string[] {
  const { clockCost, exhaustion } = ids;
  const [clock = Number.NaN, ...alone] = clockCost.perTurn.map(({ medianNs }) => medianNs);
  const [bigint, string] = alone.map((medianNs) => (medianNs / clock).toFixed(1));
  return [
    `a bigint costs ${bigint} times as much as \`Date.now()\`, and a string ${string} times`,
    `as a bigint is made ${timesAsFast(ids, 'bigint', false)} times as fast`,
    `string ${timesAsFast(ids, 'string', false)} times`,
    `${timesAsFast(ids, 'string', true)} times as fast as \`crypto.randomUUID()\``,
    `${clockCost.dateNowNs.toFixed(0)} ns`,
    `${(exhaustion.waitShare * 100).toFixed(1)} %`,
    `${exhaustion.borrowBurstMs.toFixed(1)} ms`,
  ];
}

function figuresOfDb({ databases, subscriber }: Db): string[] {
  const ratios = (name: string, key: Key = 'snowflake'): string[] =>
    databases.map(({ operations }) => {
      const last = operations.findLast(({ operation }) => operation === name);
      return (last?.byKey[key]?.ratio ?? Number.NaN).toFixed(2);
    });
  const control = databases.map(({ operations }) => {
    const last = operations.findLast(({ operation }) => operation === 'bulk insert');
    return (last?.ratioToControl ?? Number.NaN).toFixed(2);
  });
  const ofAll = (values: string[]): string => values.join(' / ');
  return [
    `A single insert costs ${ofAll(ratios('insert'))} times`,
    `A row of a bulk insert costs ${ofAll(ratios('bulk insert'))} times`,
    `without this library, a row of a bulk insert costs ${ofAll(control)} times`,
    `without a rowid costs ${ratios('insert', 'snowflake_clustered').at(-1)} times`,
    `${subscriber.oneMoreValueMicros.toFixed(1)} µs on top of ${subscriber.incrementMicros.toFixed(1)} µs`,
    `subscriber itself takes ${subscriber.assignNs} ns`,
  ];
}

function figuresOfLease({ calls, commandRate, crowds }: Lease): string[] {
  const crowd = crowds.find(({ connections, allUsed }) => connections > 1 && !allUsed);
  return [
    `${calls.renewal.cpuUs.toFixed(0)} µs of CPU per renewal`,
    `${commandRate.perHolder.toFixed(1)} commands per process and minute`,
    `${count(crowd?.registryBytes ?? 0)} bytes for ${count(crowd?.holders ?? 0)} worker IDs`,
    `1,024 costs ${(calls.offlineClaim.cpuUs / 1000).toFixed(1)} ms`,
    `with 65,536 worker IDs it costs ${(calls.offlineClaimOfMany.cpuUs / 1000).toFixed(1)} ms`,
    `after ${crowd?.medianMs.toFixed(0)} ms`,
  ];
}
