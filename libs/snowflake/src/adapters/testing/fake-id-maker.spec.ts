import { jest } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import { fakeIdMaker } from './fake-id-maker.js';
import type { FakeIdMakerOptions } from './fake-options.js';

const DAY_MS = 86_400_000;

describe('a fake ID maker', () => {
  it('counts up from its start, in every way to generate IDs', () => {
    const ids = fakeIdMaker({ start: 1001 });
    expect(ids).toBeInstanceOf(SnowflakeIdMaker);
    expect(ids.nextId()).toBe('1001');
    expect(ids.nextBigInt()).toBe(1002n);
    expect(ids.nextIds(2)).toEqual(['1003', '1004']);
    expect(ids.nextBigInts(2)).toEqual(new BigUint64Array([1005n, 1006n]));
    expect(ids.fillBigInts(new BigUint64Array(1))).toEqual(new BigUint64Array([1007n]));
    expect(ids.nextIds(0)).toEqual([]);
    expect(ids.nextId()).toBe('1008');
    expect(ids.status().issued).toBe(8);
  });

  it.each<[FakeIdMakerOptions, string[]]>([
    [{ start: '382475217496248322' }, ['382475217496248322', '382475217496248323']],
    [{ start: 2_000_000n, step: 10 }, ['2000000', '2000010']],
    [{ start: 3_000_000, layout: 'discord' }, ['3000000', '3000001']],
    [{ start: 0 }, ['0', '1']],
  ])('accepts the options %o', (options, expected) => {
    expect(fakeIdMaker(options).nextIds(2)).toEqual(expected);
  });

  it('reads IDs by the layout of the app', () => {
    const [start, epoch] = ['175928847299117063', '2015-01-01T00:00:00Z'];
    const ids = fakeIdMaker({ start, layout: 'discord' });
    expect(ids.decode(ids.nextId()).timestamp.toISOString()).toBe('2016-04-30T11:18:25.796Z');
    expect(ids.layout.epochMs).toBe(Date.parse(epoch));
    expect(ids.idRange(epoch, '2015-01-02T00:00:00Z').first).toBe('0');
    expect(ids.layout.compose({ tick: 0, workerId: 0, sequence: 1 })).toBe(1n);
  });

  it('decodes to the time that its start lies at', () => {
    const start = fakeIdMaker().firstIdAt('2026-01-01T00:00:00Z');
    const ids = fakeIdMaker({ start });
    expect(ids.decode(ids.nextId()).timestamp.toISOString()).toBe('2026-01-01T00:00:00.000Z');
    const { first, before } = ids.idRange('2026-01-01', '2026-01-02');
    expect([first, BigInt(ids.nextId()) < BigInt(before)]).toEqual([start, true]);
  });

  it('starts at once, shows its status, and stops', async () => {
    const ids = fakeIdMaker({ start: 4_000_000 });
    expect(ids.canIssue).toBe(true);
    expect(ids.status()).toMatchObject({ state: 'active', issued: 0, driftMs: 0 });
    expect(JSON.stringify(ids)).toContain('"state":"active"');
    expect(Math.abs(ids.nowMs() - Date.now())).toBeLessThan(DAY_MS);
    await Promise.all([ids.ready(), ids.start(), ids.start()]);
    expect(ids.nextId()).toBe('4000000');
    await ids.stop();
    await ids.stop();
    expect(ids.canIssue).toBe(false);
    expect(() => ids.nextId()).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_STOPPED' }));
    await expect(ids.ready()).rejects.toMatchObject({ code: 'SNOWFLAKE_STOPPED' });
    await expect(ids.start()).rejects.toMatchObject({ code: 'SNOWFLAKE_STOPPED' });
    expect(ids.status()).toMatchObject({ state: 'stopped', issued: 1 });
  });

  it('reports its start and stop like a real one, also beside others, and needs no renewal', async () => {
    const others = fakeIdMaker();
    await others.start();
    const ids = fakeIdMaker();
    const seen: string[] = [];
    ids.subscribe((event) => event.type === 'state' && seen.push(event.to));
    await ids.start();
    await ids.renew();
    await ids.stop();
    expect(seen).toEqual(['acquiring', 'active', 'stopped']);
  });

  it('stops without a start', async () => {
    const ids = fakeIdMaker();
    await ids.stop();
    expect(() => ids.nextIds(0)).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_STOPPED' }));
  });

  it.each([-1, 1.5, 2 ** 53, '', '01', 'x', 9_223_372_036_854_775_808n, null])(
    'refuses to start at %o',
    (start) => {
      expect(() => fakeIdMaker({ start: start as number })).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^SNOWFLAKE_INVALID_(OPTION|ID)$/) }),
      );
    },
  );

  it.each<[string, FakeIdMakerOptions]>([
    ['fakeIdMaker.step', { step: 0 }],
    ['fakeIdMaker.step', { step: 1_000_001 }],
    ['fakeIdMaker.testFile', { testFile: '' }],
    ['fakeIdMaker.start', { testFile: 'a.spec', start: 0.5 }],
    ['fakeIdMaker.testFile', { testFile: 1 as never }],
    ['fakeIdMaker.mayRepeat', { mayRepeat: 1 as never }],
    ['fakeIdMaker.first', { first: 1 } as FakeIdMakerOptions],
    ['fakeIdMaker', null as unknown as FakeIdMakerOptions],
  ])('refuses a wrong %s', (option, options) => {
    expect(() => fakeIdMaker(options)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
    );
  });

  it('generates no ID beyond the last one, and none of a batch that would', () => {
    const ids = fakeIdMaker({ start: 2n ** 63n - 2n });
    const end = expect.objectContaining({ code: 'SNOWFLAKE_TIMESTAMP_EXHAUSTED' });
    expect(() => ids.nextIds(3)).toThrow(end);
    expect(ids.nextIds(2)).toEqual(['9223372036854775806', '9223372036854775807']);
    expect(() => ids.nextId()).toThrow(end);
  });

  it('finds room in the smallest layout', () => {
    const layout = { timestampBits: 22, workerBits: 0, sequenceBits: 1 };
    for (const testFile of [undefined, 'small.spec']) {
      // In so small a layout, a start by chance may be that of another fake.
      const ids = fakeIdMaker({ testFile, layout, mayRepeat: true });
      for (const id of ids.nextIds(100)) expect(ids.decode(id).id).toBe(id);
    }
  });
});

describe('fakes of one process', () => {
  it('refuses a second fake maker as soon as it would repeat an ID', () => {
    const first = fakeIdMaker({ start: 10_001 });
    const early = fakeIdMaker({ start: 10_001 });
    first.nextIds(3);
    const refusal = { code: 'SNOWFLAKE_INVALID_OPTION', option: 'fakeIdMaker.start' };
    expect(() => fakeIdMaker({ start: 10_003 })).toThrow(expect.objectContaining(refusal));
    expect(() => early.nextId()).toThrow('another fake of this process may have generated');
    expect(fakeIdMaker({ start: 10_004 }).nextId()).toBe('10004');
    expect(() => first.nextId()).toThrow(expect.objectContaining(refusal));
  });

  it('repeats no ID among fake makers, whatever their starts and steps', () => {
    const seen = new Set<string>();
    let [refused, made] = [0, 0];
    for (let start = 20_001; start < 20_040; start += 3) {
      for (const step of [1, 2, 3, 7]) {
        try {
          const ids = fakeIdMaker({ start, step });
          for (let count = 0; count < 6; count += 1) {
            for (const id of ids.nextIds(count)) {
              expect(seen.has(id)).toBe(false);
              seen.add(id);
              made += 1;
            }
          }
        } catch {
          refused += 1;
        }
      }
    }
    expect([refused > 10, made > 30]).toEqual([true, true]);
  });

  it('repeats IDs among fake makers that may repeat them (control)', () => {
    const ids = () => fakeIdMaker({ start: 40_001, mayRepeat: true }).nextIds(2);
    expect(ids()).toEqual(ids());
    expect(() => fakeIdMaker({ start: 40_002 })).toThrow('may have generated');
  });

  it('begins at different IDs without a start, in the first weeks after the epoch', () => {
    const starts = Array.from({ length: 100 }, () => fakeIdMaker().nextBigInt());
    expect(new Set(starts).size).toBe(100);
    const ids = fakeIdMaker();
    const [first, second] = ids.nextBigInts(2);
    expect(second).toBe(first! + 1n);
    expect(ids.decode(first!).timestampMs - ids.layout.epochMs).toBeLessThan(25 * DAY_MS);
  });
});

describe('a fake under fake timers', () => {
  afterEach(() => jest.useRealTimers());

  it.each([
    ['the present', new Date()],
    ['before the epoch', new Date(0)],
    ['after the end of the layout', new Date('2150-01-01')],
  ])('counts on, and is made, whatever the time: %s', async (_, now) => {
    jest.useFakeTimers({ now });
    const [ids, others] = [fakeIdMaker(), fakeIdMaker()];
    const made = [...ids.nextIds(5000), ...others.nextIds(5000)];
    expect(new Set(made).size).toBe(10_000);
    expect(made.every((id) => ids.decode(id).id === id)).toBe(true);
    expect(fakeIdMaker({ start: 1001, mayRepeat: true }).nextId()).toBe('1001');
    await ids.start();
    await ids.stop();
    expect(ids.status().state).toBe('stopped');
  });
});

describe('a fake for a test file', () => {
  const folder = '/work/shop';

  it('begins at the same ID in every run, on every machine and in both module systems', () => {
    const ids = fakeIdMaker({ testFile: import.meta.url });
    expect(ids.nextId()).toBe('8262407441530001');
    const path = new URL(import.meta.url).pathname;
    expect(fakeIdMaker({ testFile: path, start: 101 }).nextId()).toBe('8262407441530101');
  });

  it.each(['', 'packages/shop'])('begins at the same ID wherever the package lies: %j', (below) => {
    const root = mkdtempSync(join(tmpdir(), 'snowflake-fake-'));
    mkdirSync(join(root, below), { recursive: true });
    writeFileSync(join(root, below, 'package.json'), '{}');
    const testFile = join(root, below, 'src/orders.spec.ts');
    const expected = '8824178214790001';
    expect(fakeIdMaker({ testFile, mayRepeat: true }).nextId()).toBe(expected);
    expect(fakeIdMaker({ testFile: 'src/orders.spec.ts', mayRepeat: true }).nextId()).toBe(expected);
    rmSync(root, { recursive: true });
  });

  it('lies apart from other files, in the first weeks after the epoch', () => {
    const starts = Array.from({ length: 200 }, (_, at) =>
      fakeIdMaker({ testFile: pathToFileURL(`${folder}/${at}.spec.ts`).href }).nextBigInt(),
    );
    const blocks = new Set(starts.map((start) => start / 10_000n));
    expect(blocks.size).toBe(200);
    expect(starts.every((start) => start < 2n ** 53n && start % 10_000n === 1n)).toBe(true);
  });

  it('takes a name, and a start of any size', () => {
    const [near, far] = ['1', '382475217496248322'].map((start) =>
      fakeIdMaker({ testFile: 'orders, part 2', start }).nextBigInt(),
    );
    expect(far! - near!).toBe(382_475_217_496_248_321n);
  });
});
