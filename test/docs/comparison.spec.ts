import {
  type BitLayoutOptions,
  SnowflakeIdMaker,
  type SnowflakeOptions,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { type LayoutPresetName, layoutPresets } from 'nestjs-snowflake/core';
import { codeIn } from './markdown.js';
import { PageCode } from './page-code.js';
import { IDS_OF_EACH, repeatedIds } from './repeated-ids.js';

const code = new PageCode('docs/guides/coming-from.md');
const rows = code.page
  .rowsUnder('Options that continue the IDs')
  .map((row) => ({ system: (row[0] ?? '').replaceAll('`', ''), row }));

/** For the generators whose users choose it. */
const YOUR_EPOCH = Date.parse('2020-01-01T00:00:00Z');

/** `{ workerBits: 6 }` or `'twitter'`. */
function layoutIn(cell: string): SnowflakeOptions['layout'] {
  const [written] = codeIn(cell);
  if (written === undefined) return undefined;
  if (written.startsWith("'")) return written.slice(1, -1) as LayoutPresetName;
  return JSON.parse(written.replaceAll(/\w+(?=:)/g, '"$&"')) as BitLayoutOptions;
}

function epochIn(cell: string): number | undefined {
  if (cell.startsWith('your')) return YOUR_EPOCH;
  const [written] = codeIn(cell);
  return written === undefined ? undefined : Number(written);
}

/** A row of the table, as options of an ID maker. */
function optionsOf([, layout = '', epoch = '']: readonly string[]): Partial<SnowflakeOptions> {
  return { layout: layoutIn(layout), epoch: epochIn(epoch) };
}

const rowOf = (system: string): readonly string[] => rows.find((each) => each.system.startsWith(system))!.row;

const make = (options: Partial<SnowflakeOptions>): SnowflakeIdMaker =>
  new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 1 }), ...options });

describe('the systems that IDs come from', () => {
  it('the table has all presets but jsSafe53, and five systems whose layouts need no preset', () => {
    const presets = rows
      .flatMap(({ row }) => optionsOf(row).layout ?? [])
      .filter((each) => typeof each === 'string');
    expect(presets.sort()).toEqual(
      Object.keys(layoutPresets)
        .filter((name) => name !== 'jsSafe53')
        .sort(),
    );
    expect(rows).toHaveLength(presets.length + 5);
  });

  it.each(rows.filter(({ system }) => !system.startsWith('Baidu')))(
    'the options for $system make IDs',
    async ({ row }) => {
      const ids = make(optionsOf(row));
      await ids.start();
      const before = Date.now();
      const { timestampMs, workerId } = ids.decode(ids.nextId());
      expect(workerId).toBe(1);
      expect(timestampMs).toBeGreaterThanOrEqual(before - ids.layout.tickMs);
      expect(timestampMs).toBeLessThanOrEqual(Date.now() + 1000);
      await ids.stop();
    },
  );

  it('the layout of Baidu has ended, so it makes no IDs', () => {
    expect(() => make(optionsOf(rowOf('Baidu')))).toThrow(/28 timestamp bits ended at 2024-11-20/);
  });
});

describe('IDs that the other generators made', () => {
  // The README of yitter's TypeScript port, in an example with WorkerId 1.
  const OF_YITTER = {
    system: 'yitter',
    id: '234712552579141',
    fields: { timestamp: new Date('2021-10-25T05:27:49.282Z'), workerId: 1, sequence: 5 },
  };
  // Made with 3.5.5: new Snowflake(YOUR_EPOCH).generate({ timestamp, workerId: 3n, processId: 7n, increment: 9n }).
  const OF_SAPPHIRE = {
    system: '@sapphire/snowflake',
    id: '512389598413221897',
    fields: { timestampMs: 1_700_000_000_000, workerId: 3 * 32 + 7, sequence: 9 },
  };

  // generate({ timestamp }): the default is worker ID 1.
  const OF_SAPPHIRE_BY_DEFAULT = {
    system: '@sapphire/snowflake',
    id: '512389598412804096',
    fields: { workerId: 1, sequence: 0 },
  };
  // Made with 2.0.1: { custom_epoch: 1600000000000, instance_id: 2345 }, idFromTimestamp(1700000000000).
  const OF_NODEJS_SNOWFLAKE = {
    system: 'nodejs-snowflake',
    id: '419430400002401280',
    fields: { timestampMs: 1_700_000_000_000, workerId: 2345, sequence: 0 },
    epoch: 1_600_000_000_000,
  };

  it.each([OF_YITTER, OF_SAPPHIRE, OF_SAPPHIRE_BY_DEFAULT, OF_NODEJS_SNOWFLAKE])(
    'the ID $id decodes with the options of $system',
    ({ system, id, fields, ...own }) => {
      expect(make({ ...optionsOf(rowOf(system)), ...own }).decode(id)).toMatchObject(fields);
    },
  );
});

describe('both generators at the same time', () => {
  const layout = 'twitter';

  it('repeat no ID with separate ranges of worker IDs, or with separate datacenter IDs', async () => {
    expect(await repeatedIds([{ workerId: 0 }, { lease: { firstWorkerId: 512 } }])).toBe(0);
    const datacenters = [
      { layout, workerId: 0, datacenterId: 0 },
      { layout, datacenterId: 31 },
    ] as const;
    expect(await repeatedIds(datacenters)).toBe(0);
  });

  it('repeat IDs with one worker ID (control)', async () => {
    expect(await repeatedIds([{ workerId: 0 }, {}])).toBe(IDS_OF_EACH);
  });
});

it('the module of the page loads', async () => {
  expect(await code.run('id-service.module.ts', 'IdServiceModule')).toBeInstanceOf(Function);
  expect(code.notRun()).toEqual([]);
});
