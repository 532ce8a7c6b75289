import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FULL as IDS } from '../../bench/ids/settings.js';
import { FULL as LEASES } from '../../bench/lease/settings.js';
import { MarkdownPage, ROOT } from './markdown.js';

interface Results<Data> {
  readonly machine: { readonly node: string; readonly cores: number };
  readonly data: Data;
}

interface Speed {
  readonly rival: { readonly name: string; readonly kind: string };
  readonly speed: { readonly bigintNs?: number; readonly stringNs?: number };
  readonly burstDuplicates: number;
  readonly clockStep?: { readonly duplicates: number; readonly refusal?: string };
}

interface Ids {
  readonly comparison: readonly Speed[];
  readonly ratios: readonly {
    readonly what: string;
    readonly ours: string;
    readonly against: string;
    readonly theirNs: number;
  }[];
}

type BytesOf = Record<string, { table: number; keyIndex: number; timeIndex: number }>;

interface Db {
  readonly databases: readonly {
    readonly database: string;
    readonly operations: readonly { operation: string; byKey: Record<string, { ratio: number }> }[];
    readonly sizes: readonly { tableRows: number; bytesByKey: BytesOf }[];
  }[];
}

interface Lease {
  readonly settings: unknown;
  readonly calls: Record<string, { readonly cpuUs: number }>;
  readonly duplicates: number;
}

const read = (file: string): string => readFileSync(join(ROOT, 'docs/bench', file), 'utf8');
const results = <Data>(name: string): Results<Data> => JSON.parse(read(`${name}.json`)) as Results<Data>;

const ids = results<Ids>('ids');
const db = results<Db>('db');
const lease = results<Lease>('lease');
const prose = MarkdownPage.read('docs/explanation/benchmarks.md').prose.replaceAll(/\n */g, ' ');
const says = (text: string): boolean => prose.includes(text);

/** As the plots show values: three significant digits. */
function inPlot(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 4 });
}

/** The values that a plot does not show. */
function missingIn(svg: string, values: readonly (number | undefined)[]): number[] {
  const shown = new Set(svg.match(/(?<=>)[^<>]+(?=<\/text>)/g));
  return values.filter((value): value is number => value !== undefined && !shown.has(inPlot(value)));
}

/** The summary of an operation on the largest tables of each database. */
const lastOf = (operation: string): Record<string, { ratio: number }>[] =>
  db.data.databases.map(
    ({ operations }) => operations.findLast((other) => other.operation === operation)!.byKey,
  );

const bytes = (sizes: BytesOf, key: string): number => {
  const { table, keyIndex, timeIndex } = sizes[key]!;
  return table + keyIndex + timeIndex;
};

describe('the runs behind the figures of the benchmarks', () => {
  it('were made on the machine that it names', () => {
    for (const { machine } of [ids, db, lease]) {
      expect(says(`of one run on Node ${machine.node.slice(1).split('.')[0]} and ${machine.cores} `)).toBe(
        true,
      );
    }
  });

  it('were full ones, of the length that it names', () => {
    expect(says(`in the quickest of ${IDS.rounds} rounds`)).toBe(true);
    expect(says(`duplicates among ${IDS.burstIds.toLocaleString('en')}`)).toBe(true);
    expect(says(`ns per ID in bursts of 4,000`)).toBe(true);
    expect(IDS.clockStepMs).toBe(1000);
    expect(lease.data.settings).toEqual(LEASES);
    expect(lease.data.duplicates).toBe(0);
    for (const { sizes } of db.data.databases) expect(sizes.at(-1)!.tableRows).toBeGreaterThan(1_000_000);
  });
});

describe('the plots of the benchmarks', () => {
  it('show what the runs measured', () => {
    const { comparison } = ids.data;
    const speeds = comparison.flatMap(({ speed }) => [speed.bigintNs, speed.stringNs]);
    expect(missingIn(read('ids.svg'), speeds)).toEqual([]);
    const ratios = ['bulk insert', 'insert', 'save'].flatMap((operation) =>
      lastOf(operation).flatMap((byKey) => Object.values(byKey).map(({ ratio }) => ratio)),
    );
    expect(missingIn(read('db-insert.svg'), ratios)).toEqual([]);
    const perRow = db.data.databases.flatMap(({ sizes }) => {
      const { tableRows, bytesByKey } = sizes.at(-1)!;
      return Object.keys(bytesByKey).map((key) => bytes(bytesByKey, key) / tableRows);
    });
    expect(missingIn(read('db-size.svg'), perRow)).toEqual([]);
    const cpu = Object.values(lease.data.calls).map(({ cpuUs }) => cpuUs);
    expect(missingIn(read('lease.svg'), cpu)).toEqual([]);
  });

  it('would be found to show something else (control)', () => {
    const values = ids.data.comparison.flatMap(({ speed }) => speed.bigintNs ?? []);
    expect(
      missingIn(
        read('ids.svg'),
        values.map((value) => value * 1.5),
      ).length,
    ).toBeGreaterThan(5);
    expect(missingIn(read('lease.svg'), values).length).toBeGreaterThan(5);
  });
});

describe('what the page of benchmarks concludes', () => {
  it('compares with the fastest snowflake package that made no duplicate', () => {
    const correct = ids.data.comparison.filter(
      ({ rival, burstDuplicates, clockStep }) =>
        rival.kind === 'snowflake' &&
        !rival.name.startsWith('nestjs-snowflake') &&
        burstDuplicates + (clockStep?.duplicates ?? 0) === 0,
    );
    for (const [what, kind] of [
      ['bigint', 'bigintNs'],
      ['string', 'stringNs'],
    ] as const) {
      const fastest = Math.min(...correct.flatMap(({ speed }) => speed[kind] ?? []));
      const ratio = ids.data.ratios.find(
        (one) => one.ours.endsWith('SnowflakeIdMaker') && one.what === what && !one.against.includes('UUID'),
      );
      expect(ratio?.theirNs).toBe(fastest);
    }
  });

  it('is right that a UUID is larger than an ID, and slower to insert in bulk', () => {
    for (const { sizes } of db.data.databases) {
      const { bytesByKey } = sizes.at(-1)!;
      for (const uuid of ['uuid_v7', 'uuid_v4']) {
        expect(bytes(bytesByKey, uuid)).toBeGreaterThan(bytes(bytesByKey, 'snowflake'));
      }
    }
    for (const byKey of lastOf('bulk insert')) {
      for (const uuid of ['uuid_v7', 'uuid_v4']) {
        expect(byKey[uuid]!.ratio).toBeGreaterThan(byKey['snowflake']!.ratio);
      }
    }
  });

  it('is right that an ID needs no second index for the time of a row', () => {
    for (const { sizes } of db.data.databases) {
      const { bytesByKey } = sizes.at(-1)!;
      expect(bytesByKey['snowflake']!.timeIndex).toBe(0);
      expect(bytesByKey['increment']!.timeIndex).toBeGreaterThan(0);
    }
  });
});

describe('the comparison of the README', () => {
  const [table] = MarkdownPage.read('README.md').tablesUnder('Comparison');
  const packages = (table?.columns ?? []).slice(1, 5);
  const cell = (feature: string, name: string): string =>
    table?.rows.find(([row]) => row === feature)?.[table.columns.indexOf(name)] ?? '';
  const measured = (name: string): Speed => ids.data.comparison.find(({ rival }) => rival.name === name)!;

  it.each(packages)('says of %s what was measured', (name) => {
    const { clockStep, burstDuplicates } = measured(name);
    expect(cell('Clock steps back', name) === 'repeats IDs').toBe(clockStep!.duplicates > 0);
    expect(cell('Clock steps back', name) === 'throws').toBe(clockStep!.refusal !== undefined);
    expect(cell('Full millisecond', name) === 'repeats IDs').toBe(burstDuplicates > 0);
  });
});
