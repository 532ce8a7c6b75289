import {
  type BitLayoutOptions,
  SnowflakeIdMaker,
  type SnowflakeOptions,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { BitLayout, IdDecoder, type LayoutPresetName, layoutPresets } from 'nestjs-snowflake/core';
import { memoryLeaseStore } from 'nestjs-snowflake/standalone';
import { MemoryRegistry } from 'nestjs-snowflake/store';
import { VirtualClock } from '../../libs/snowflake/src/stores/port/virtual-clock.js';
import { duplicatesIn } from '../lease/support/id-checks.js';
import { MakerPool, workerIdOf } from '../lease/support/maker-pool.js';
import { codeIn } from './markdown.js';
import { PageCode } from './page-code.js';

const code = new PageCode('docs/guides/coming-from.md');
const [table] = code.page.tablesUnder('Options that continue the IDs');
const rows = (table?.rows ?? []).map((row) => ({ system: (row[0] ?? '').replaceAll('`', ''), row }));

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

  it.each([OF_YITTER, OF_SAPPHIRE])('an ID decodes with the options of $system', ({ system, id, fields }) => {
    expect(make(optionsOf(rowOf(system))).decode(id)).toMatchObject(fields);
  });

  it('an ID decodes with the options of @sapphire/snowflake, whose default is worker ID 1', () => {
    const id = '512389598412804096'; // generate({ timestamp })
    expect(make(optionsOf(rowOf('@sapphire'))).decode(id)).toMatchObject({ workerId: 1, sequence: 0 });
  });

  it('an ID decodes with the options of nodejs-snowflake', () => {
    // Made with 2.0.1: { custom_epoch: 1600000000000, instance_id: 2345 }, idFromTimestamp(1700000000000).
    const options = { ...optionsOf(rowOf('nodejs-snowflake')), epoch: 1_600_000_000_000 };
    const fields = { timestampMs: 1_700_000_000_000, workerId: 2345, sequence: 0 };
    expect(make(options).decode('419430400002401280')).toMatchObject(fields);
  });

  it('an ID of Discord decodes without an ID maker', () => {
    const { layout, epoch } = layoutPresets.discord;
    const discordIds = new IdDecoder(new BitLayout(layout, epoch));
    expect(discordIds.decode('175928847299117063').timestamp).toEqual(new Date('2016-04-30T11:18:25.796Z'));
  });
});

describe('both generators side by side', () => {
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  const pool = new MakerPool();
  afterEach(() => pool.stopAll());

  /** Leases worker IDs from the first on. */
  const firstWorkerIds = () => memoryLeaseStore({ clock, registry: new MemoryRegistry() });

  /** IDs of an old process with worker ID 0, and of a new one, in the same milliseconds. */
  async function madeBeside(range: SnowflakeOptions['lease']): Promise<BigUint64Array[]> {
    const old = await pool.start({ store: staticLeaseStore({ workerId: 0, clock }) }, { clock });
    const lease = { possibleLoss: 'ignore', ...range } as const;
    const next = await pool.start({ store: firstWorkerIds(), lease }, { clock });
    clock.step(1000);
    return [old.nextBigInts(4096), next.nextBigInts(4096)];
  }

  it('two generators with worker IDs of their own repeat no ID', async () => {
    expect(duplicatesIn(await madeBeside({ firstWorkerId: 512 }))).toEqual([]);
  });

  it('two generators with one worker ID repeat IDs (control)', async () => {
    expect(duplicatesIn(await madeBeside({}))).toHaveLength(4096);
  });

  it('two generators with datacenter IDs of their own repeat no ID', async () => {
    const old = await pool.start(
      { layout: 'twitter', store: staticLeaseStore({ workerId: 0, clock }), datacenterId: 0 },
      { clock },
    );
    const lease = { possibleLoss: 'ignore' } as const;
    const options = { layout: 'twitter', store: firstWorkerIds(), datacenterId: 31, lease } as const;
    const next = await pool.start(options, { clock });
    clock.step(1000);
    expect(workerIdOf(next)).toBe(workerIdOf(old));
    expect(duplicatesIn([old.nextBigInts(4096), next.nextBigInts(4096)])).toEqual([]);
  });

  it('a namespace refuses a second range of worker IDs', async () => {
    const registry = new MemoryRegistry();
    const options = (firstWorkerId: number): SnowflakeOptions => ({
      store: memoryLeaseStore({ registry, clock }),
      lease: { firstWorkerId, possibleLoss: 'ignore' },
    });
    await pool.start(options(512), { clock });
    await expect(pool.make(options(0), { clock }).start()).rejects.toMatchObject({
      code: 'SNOWFLAKE_LAYOUT_MISMATCH',
    });
  });
});

it('the module of the page loads', async () => {
  expect(await code.run('id-service.module.ts', 'IdServiceModule')).toBeInstanceOf(Function);
  expect(code.notRun()).toEqual([]);
});
