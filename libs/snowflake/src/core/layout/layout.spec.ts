import fc from 'fast-check';
import { runs } from '../../../../../test/support/runs.js';
import { InvalidOptionError } from '../errors/input-errors.js';
import { IdDecoder } from '../ids/decoder.js';
import { MAX_ID } from '../ids/id-words.js';
import { instantMs } from './instant.js';
import type { BitLayoutOptions, Instant } from './bit-layout-options.js';
import { BitLayout } from './bit-layout.js';
import type { LayoutDemands } from './layout-demands.js';
import { layoutPreset, layoutPresets, type LayoutPresetName } from './presets.js';
import { suggestLayout, type LayoutSuggestion } from './suggest-layout.js';

const refusedOption = (make: () => unknown): string => {
  try {
    make();
  } catch (error) {
    if (error instanceof InvalidOptionError) return error.option;
    throw error;
  }
  return 'nothing';
};

describe('BitLayout', () => {
  it('uses 63 bits by default, 41 of them for milliseconds', () => {
    const layout = new BitLayout();
    expect(layout.fields).toEqual([
      { name: 'timestamp', bits: 41, shift: 22 },
      { name: 'worker', bits: 10, shift: 12 },
      { name: 'sequence', bits: 12, shift: 0 },
    ]);
    expect(layout.maxWorkerId).toBe(1023);
    expect(layout.idsPerTick).toBe(4096);
    expect(layout.expiresAt.toISOString()).toBe('2093-09-06T15:47:35.551Z');
  });

  it('puts the fields in the given order', () => {
    const { layout, epoch } = layoutPresets.sonyflake;
    expect(new BitLayout(layout, epoch).fields).toEqual([
      { name: 'timestamp', bits: 39, shift: 24 },
      { name: 'sequence', bits: 8, shift: 16 },
      { name: 'worker', bits: 16, shift: 0 },
    ]);
  });

  it.each(Object.keys(layoutPresets))('accepts the preset %s', (name) => {
    const { layout, epoch } = layoutPreset(name);
    const { fields } = new BitLayout(layout, epoch);
    expect(fields.reduce((sum, { bits }) => sum + bits, 0)).toBeLessThanOrEqual(63);
  });

  it.each<[string, BitLayoutOptions]>([
    ['layout.workerBits', { workerBits: -1 }],
    ['layout.workerBits', { workerBits: 1.5 }],
    ['layout.workerBits', { workerBits: 32 }],
    ['layout.workerBits', { workerBits: Number.NaN }],
    ['layout.workerBits', { workerBits: '10' as unknown as number }],
    ['layout.sequenceBits', { sequenceBits: 0 }],
    ['layout.datacenterBits', { datacenterBits: 40 }],
    ['layout.tickMs', { tickMs: 0 }],
    ['layout.tickMs', { tickMs: 60_001 }],
    ['layout', { workerBits: 22, sequenceBits: 20 }],
    ['layout.timestampBits', { timestampBits: 42 }],
    ['layout.timestampBits', { timestampBits: 21 }],
    ['layout.order', { order: ['worker', 'worker', 'sequence'] }],
    ['layout.order', { order: ['worker'] }],
    ['layout.order', { order: 'worker' as unknown as [] }],
    ['layout.order', { workerBits: 22, sequenceBits: 13, order: ['sequence', 'worker'] }],
  ])('refuses %s of %o', (option, options) => {
    expect(refusedOption(() => new BitLayout(options))).toBe(option);
  });

  it.each(['yesterday', new Date(Number.NaN), Number.NaN, 1.5, undefined as unknown as string, {} as Date])(
    'refuses the epoch %o',
    (epoch) => {
      expect(refusedOption(() => new BitLayout({}, epoch ?? (null as unknown as string)))).toBe('epoch');
    },
  );

  it('refuses an epoch in the future and a layout that has ended', () => {
    const layout = new BitLayout({ timestampBits: 22 }, '2026-01-01T00:00:00Z');
    expect(() => layout.assertUsableAt(Date.parse('2025-12-31T23:59:59.999Z'))).toThrow(
      /epoch is in the future/,
    );
    expect(() => layout.assertUsableAt(Date.parse('2026-01-01T00:00:00Z'))).not.toThrow();
    expect(layout.expiresAt.toISOString()).toBe('2026-01-01T01:09:54.303Z');
    expect(() => layout.assertUsableAt(Date.parse('2026-01-01T01:09:54.303Z'))).not.toThrow();
    expect(() => layout.assertUsableAt(Date.parse('2026-01-01T01:09:54.304Z'))).toThrow(
      /ended at 2026-01-01T01:09:54.303Z/,
    );
  });

  it('composes the published example of a tweet', () => {
    const layout = new BitLayout(layoutPresets.twitter.layout, layoutPresets.twitter.epoch);
    const id = layout.compose({ tick: 367597485448, datacenterId: 11, workerId: 26, sequence: 0 });
    expect(id).toBe((367597485448n << 22n) | (11n << 17n) | (26n << 12n));
  });

  it.each([
    ['workerId', { tick: 0, workerId: 1024, sequence: 0 }],
    ['workerId', { tick: 0, workerId: -1, sequence: 0 }],
    ['sequence', { tick: 0, workerId: 0, sequence: 4096 }],
    ['tick', { tick: 2 ** 41, workerId: 0, sequence: 0 }],
    ['datacenterId', { tick: 0, workerId: 0, sequence: 0, datacenterId: 1 }],
  ])("refuses to compose a %s that doesn't fit", (option, fields) => {
    expect(refusedOption(() => new BitLayout().compose(fields))).toBe(option);
  });

  it('makes a fingerprint of everything that decides the bits of an ID', () => {
    const fingerprints = [
      new BitLayout(),
      new BitLayout({ workerBits: 9 }),
      new BitLayout({ sequenceBits: 11 }),
      new BitLayout({ tickMs: 2 }),
      new BitLayout({ timestampBits: 40 }),
      new BitLayout({ order: ['sequence', 'worker'] }),
      new BitLayout({}, '2024-01-02T00:00:00Z'),
    ].map(({ fingerprint }) => fingerprint);
    expect(new Set(fingerprints).size).toBe(fingerprints.length);
    expect(fingerprints[0]).toBe(
      'epoch=2024-01-01T00:00:00.000Z tick=1ms timestamp:41 worker:10 sequence:12',
    );
  });

  it.each<[BitLayoutOptions, Instant]>([
    [{}, '2024-01-01'],
    [{ workerBits: 0, sequenceBits: 20 }, 0],
    [{ datacenterBits: 3, workerBits: 9, sequenceBits: 8, tickMs: 4 }, '2020-02-02'],
    [{ timestampBits: 30, workerBits: 8, order: ['sequence', 'worker'] }, '1999-12-31T23:59:59.999Z'],
    [{ order: ['worker', 'datacenter', 'sequence'], datacenterBits: 4 }, '2024-01-01'],
  ])('makes the layout %o since %o again from its options and from its fingerprint', (options, epoch) => {
    const layout = new BitLayout(options, epoch);
    expect(new BitLayout(layout.toOptions(), new Date(layout.epochMs))).toEqual(layout);
    expect(BitLayout.fromFingerprint(layout.fingerprint)).toEqual(layout);
    expect(BitLayout.fromFingerprint(`v2 ${layout.fingerprint} workers=0+8`)).toEqual(layout);
  });

  it.each([
    ['fingerprint', ''],
    ['fingerprint', 'v2 epoch=1704067200000 tick=1 ts=41 worker=10 seq=12 workers=0+1024'],
    ['fingerprint', 'epoch=2024-01-01 tick=1ms timestamp:41 worker:10 sequence:12'],
    ['fingerprint', 'epoch=2024-01-01T00:00:00.000Z tick=1ms timestamp:41 worker:10 worker:9 sequence:12'],
    ['layout.sequenceBits', 'epoch=2024-01-01T00:00:00.000Z tick=1ms timestamp:41 worker:10'],
    ['layout.tickMs', 'epoch=2024-01-01T00:00:00.000Z tick=0ms timestamp:41 worker:10 sequence:12'],
    ['epoch', 'epoch=yesterday tick=1ms timestamp:41 worker:10 sequence:12'],
  ])('refuses %s of the fingerprint %o', (option, text) => {
    expect(refusedOption(() => BitLayout.fromFingerprint(text))).toBe(option);
  });

  it.each(['2024-01-01T00:00:00', '2024-01-01 00:00', '2024-1-1', 'Jan 1 2024'])(
    'refuses the epoch %o, which is another one in each time zone',
    (epoch) => {
      expect(() => new BitLayout({}, epoch)).toThrow(/^epoch is a different instant in each time zone/);
    },
  );

  it.each([
    '2024-01-01',
    '2024-01-01T00:00Z',
    '2024-01-01t00:00:00z',
    '2024-01-01T01:00:00.000+01:00',
    '2024-01-01T23:59:00+23:59',
    '2023-12-31T20:30:00-03:30',
    '2024-01-01T00:00:00.000999Z',
    1_704_067_200_000,
    new Date(1_704_067_200_000),
  ])('accepts the epoch %o', (epoch) => {
    expect(new BitLayout({}, epoch).epochMs).toBe(Date.UTC(2024, 0, 1));
  });

  it.each([
    '2023-02-29',
    '2024-02-30',
    '2024-06-31T00:00:00Z',
    '2024-13-01',
    '2024-00-01',
    '2024-01-00',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2016-12-31T23:59:60Z',
    '2024-01-01T00:00:00+24:00',
    '5Z',
    '1 Z',
    '2024',
    '2024-01',
    '1704067200000',
    '1704067200',
    '2023-12-31T20:30-0330',
    'Mon, 01 Jan 2024 00:00:00 GMT',
    '+002024-01-01',
    '-000000-01-01',
    '2024-01-01Z',
    '2024-01-01T00:00:00.Z',
    ' 2024-01-01T00:00:00Z',
    '2024-01-01T00:00:00Z\n',
    '٢٠٢٤-٠١-٠١',
  ])('refuses the epoch %j, which is not an instant of RFC 3339', (epoch) => {
    expect(() => new BitLayout({}, epoch)).toThrow(/^epoch is not a valid instant/);
  });

  it('reads and writes every instant that a Date can hold', () => {
    const instant = fc.integer({ min: -8.64e15, max: 8.64e15 }).map((ms) => new Date(ms));
    fc.assert(
      fc.property(instant, (date) => {
        expect(instantMs('epoch', date.toISOString())).toBe(date.getTime());
        expect(instantMs('epoch', date)).toBe(date.getTime());
      }),
    );
  });

  it.each([1_704_067_200, 946_684_800, 86_400, -2_208_988_800, 99_999_999_999])(
    'refuses the epoch %d, which is Unix time in seconds, with the instants it can mean',
    (epoch) => {
      const asMs = new Date(epoch).toISOString();
      expect(() => new BitLayout({}, epoch)).toThrow(
        new RegExp(`^epoch looks like Unix time in seconds .*${epoch * 1000}.*${asMs.replace('.', '\\.')}`),
      );
      expect(new BitLayout({}, asMs).epochMs).toBe(epoch);
    },
  );
});

const presetLayout = (name: LayoutPresetName): BitLayout => {
  const { layout, epoch } = layoutPreset(name);
  return new BitLayout(layout, epoch);
};

describe('layoutPresets', () => {
  it.each<[LayoutPresetName, string, string, string]>([
    ['twitter', '2010-11-04T01:42:54.657Z', '41 5 5 12', '2080-07-10T17:30:30.208Z'],
    ['discord', '2015-01-01T00:00:00.000Z', '41 5 5 12', '2084-09-06T15:47:35.551Z'],
    ['instagram', '2011-08-24T21:07:01.721Z', '40 13 10', '2046-06-27T17:00:49.496Z'],
    ['ich', '1970-01-01T00:00:00.000Z', '41 10 12', '2039-09-07T15:47:35.551Z'],
    ['sonyflake', '2014-09-01T00:00:00.000Z', '39 8 16', '2188-11-16T03:28:58.879Z'],
    ['baidu', '2016-05-19T16:00:00.000Z', '28 22 13', '2024-11-20T13:24:15.999Z'],
    ['jsSafe53', '2024-01-01T00:00:00.000Z', '41 5 7', '2093-09-06T15:47:35.551Z'],
  ])('gives the preset %s the epoch %s and %s bits, until %s', (name, epoch, widths, end) => {
    const layout = presetLayout(name);
    expect(new Date(layout.epochMs).toISOString()).toBe(epoch);
    expect(layout.fields.map(({ bits }) => bits).join(' ')).toBe(widths);
    expect(layout.expiresAt.toISOString()).toBe(end);
  });

  it('lists every preset in the table above', () => {
    expect(Object.keys(layoutPresets)).toHaveLength(7);
  });

  it('keeps the largest ID of every preset within 63 bits, and of jsSafe53 within a safe integer', () => {
    for (const name of Object.keys(layoutPresets) as LayoutPresetName[]) {
      const layout = presetLayout(name);
      const largest = layout.compose({
        tick: layout.maxTick,
        datacenterId: layout.maxDatacenterId,
        workerId: layout.maxWorkerId,
        sequence: layout.maxSequence,
      });
      expect(largest).toBe(name === 'jsSafe53' ? BigInt(Number.MAX_SAFE_INTEGER) : MAX_ID);
    }
  });

  it.each<[string, BitLayoutOptions]>([
    ['discord', { timestampBits: 42, datacenterBits: 5, workerBits: 5, sequenceBits: 12 }],
    ['instagram', { timestampBits: 41, workerBits: 13, sequenceBits: 10 }],
  ])('counts one bit less for %s than its source, which includes the sign bit', (_name, options) => {
    expect(() => new BitLayout(options)).toThrow(/layout.timestampBits .*64 bits, and an ID has 63/);
  });

  it('decodes the IDs of ICH.Snowflake before November 2021 with the documented layout', () => {
    const decoder = new IdDecoder(
      new BitLayout({ timestampBits: 41, workerBits: 12, sequenceBits: 10 }, '2000-01-01T00:00:00Z'),
    );
    const [tick, workerId, sequence] = [652_924_800_000n, 700n, 1023n];
    expect(decoder.decode((tick << 22n) | (workerId << 10n) | sequence)).toMatchObject({
      tick: Number(tick),
      workerId: Number(workerId),
      sequence: Number(sequence),
    });
  });

  it.each(['Twitter', '', 'toString', '__proto__'])(
    'refuses the preset %o, and lists the known ones',
    (name) => {
      expect(() => layoutPreset(name)).toThrow(InvalidOptionError);
      expect(() => layoutPreset(name)).toThrow(
        /twitter, discord, instagram, ich, sonyflake, baidu, jsSafe53/,
      );
    },
  );
});

const YEAR_MS = 365.2425 * 86_400_000;
const FIELDS = ['timestamp', 'worker', 'sequence'] as const;

/** Numbers of every magnitude, equally likely: powers of two and their neighbors. */
const magnitudes = (max: number): fc.Arbitrary<number> => {
  const powers = Array.from({ length: Math.floor(Math.log2(max)) + 1 }, (_, bits) => 2 ** bits);
  return fc
    .tuple(fc.constantFrom(...powers), fc.constantFrom(-1, 0, 1, 2))
    .map(([power, offset]) => Math.min(max, Math.max(1, power + offset)));
};

const demandsThatMayFit = fc.record({
  years: magnitudes(10_000),
  workers: magnitudes(2 ** 31),
  idsPerSecondPerWorker: magnitudes(1e7),
  tickMs: fc.constantFrom(1, 2, 7, 10, 100, 1000, 60_000),
  epoch: fc.integer({ min: -4e12, max: 4e12 }).map((ms) => new Date(ms)),
});

/** Returns whether a layout meets the demands, according to {@link BitLayout}. */
function holds(layout: BitLayout, demands: LayoutDemands): boolean {
  const lifetimeMs = layout.expiresAt.getTime() + 1 - layout.epochMs;
  return (
    lifetimeMs >= demands.years * YEAR_MS &&
    layout.maxWorkerId + 1 >= demands.workers &&
    // Multiplies instead of dividing, so that nothing is rounded.
    layout.idsPerTick * 1000 >= demands.idsPerSecondPerWorker * layout.tickMs
  );
}

/** Returns the layout with these widths, or `undefined` if a width is out of bounds. */
function layoutWith(
  bits: LayoutSuggestion['neededBits'],
  { tickMs, epoch }: LayoutDemands,
): BitLayout | undefined {
  const options: BitLayoutOptions = {
    timestampBits: bits.timestamp,
    workerBits: bits.worker,
    sequenceBits: bits.sequence,
    tickMs,
  };
  try {
    return new BitLayout(options, epoch);
  } catch (error) {
    if (error instanceof InvalidOptionError) return undefined;
    throw error;
  }
}

function suggestionOrRefusal(demands: LayoutDemands): LayoutSuggestion | InvalidOptionError {
  try {
    return suggestLayout(demands);
  } catch (error) {
    if (error instanceof InvalidOptionError) return error;
    throw error;
  }
}

function optionOf(demands: object): string {
  const refusal = suggestionOrRefusal(demands as LayoutDemands);
  return refusal instanceof InvalidOptionError ? refusal.option : 'nothing';
}

/** Returns the demands that the remedy suggests: the same ones, with one of them changed. */
function offersOf(refusal: InvalidOptionError, demands: LayoutDemands): LayoutDemands[] {
  return [...refusal.remedy.matchAll(/(\w+): (\d+)/g)].map(([, name = '', value]) => ({
    ...demands,
    [name]: Number(value),
  }));
}

describe('suggestLayout', () => {
  it('explains what it suggests', () => {
    const suggestion = suggestLayout({ years: 50, workers: 500, idsPerSecondPerWorker: 1000 });
    expect(suggestion).toEqual({
      layout: { timestampBits: 45, workerBits: 13, sequenceBits: 5, tickMs: 1 },
      epoch: '2024-01-01T00:00:00.000Z',
      neededBits: { timestamp: 41, worker: 9, sequence: 1 },
      spareBits: 12,
      spareBitsOf: { timestamp: 4, worker: 4, sequence: 4 },
      lifetimeYears: expect.closeTo(1114.9, 1),
      expiresAt: new Date('3138-12-13T12:41:28.831Z'),
      workerIds: 8192,
      idsPerSecondPerWorker: 32_000,
      explanation: expect.any(String),
    });
    expect(suggestion.explanation.split('\n')).toEqual([
      'timestamp 45 bits of ms: 1114.9 years, until 3138-12-13 (50 years need 41 bits)',
      'worker ID 13 bits: 8192 worker IDs (500 need 9 bits)',
      'sequence 5 bits: 32000 IDs per second and worker ID (1000 need 1 bits)',
      'spare 12 bits: 4 to the sequence, 4 to the worker ID, 4 to the timestamp',
    ]);
  });

  it("suggests Twitter's widths for Twitter's capacity, without spare bits", () => {
    const { layout, spareBits } = suggestLayout({
      years: 69,
      workers: 1024,
      idsPerSecondPerWorker: 4_096_000,
    });
    expect(layout).toEqual({ timestampBits: 41, workerBits: 10, sequenceBits: 12, tickMs: 1 });
    expect(spareBits).toBe(0);
  });

  it('meets the demands with 63 bits, and states its capacity correctly', () => {
    const seen = { suggestions: 0, refusals: 0 };
    fc.assert(
      fc.property(demandsThatMayFit, (demands) => {
        const suggestion = suggestionOrRefusal(demands);
        if (suggestion instanceof InvalidOptionError) return void seen.refusals++;
        seen.suggestions++;
        const layout = new BitLayout(suggestion.layout, suggestion.epoch);
        expect(holds(layout, demands)).toBe(true);
        expect(layout.fields.reduce((sum, { bits }) => sum + bits, 0)).toBe(63);
        expect(layout.epochMs).toBe(demands.epoch.getTime());
        expect(suggestion.expiresAt).toEqual(layout.expiresAt);
        expect(suggestion.workerIds).toBe(layout.maxWorkerId + 1);
        expect(suggestion.idsPerSecondPerWorker).toBe(
          Math.floor((layout.idsPerTick * 1000) / demands.tickMs),
        );
        const lifetimeMs = layout.expiresAt.getTime() + 1 - layout.epochMs;
        expect(suggestion.lifetimeYears).toBeCloseTo(lifetimeMs / YEAR_MS, 9);
      }),
      { numRuns: runs(1000) },
    );
    expect(Math.min(seen.suggestions, seen.refusals)).toBeGreaterThan(runs(1000) / 20);
  });

  it('uses no more bits than needed', () => {
    fc.assert(
      fc.property(demandsThatMayFit, (demands) => {
        const suggestion = suggestionOrRefusal(demands);
        fc.pre(!(suggestion instanceof InvalidOptionError));
        const { neededBits } = suggestion;
        const needed = layoutWith(neededBits, demands);
        expect(needed && holds(needed, demands)).toBe(true);
        for (const field of FIELDS) {
          const narrower = layoutWith({ ...neededBits, [field]: neededBits[field] - 1 }, demands);
          expect(narrower !== undefined && holds(narrower, demands)).toBe(false);
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it('distributes all spare bits evenly', () => {
    fc.assert(
      fc.property(demandsThatMayFit, (demands) => {
        const suggestion = suggestionOrRefusal(demands);
        fc.pre(!(suggestion instanceof InvalidOptionError));
        const { spareBits, spareBitsOf, neededBits, layout } = suggestion;
        const widths = {
          timestamp: layout.timestampBits,
          worker: layout.workerBits,
          sequence: layout.sequenceBits,
        };
        for (const field of FIELDS) expect(widths[field]).toBe(neededBits[field] + spareBitsOf[field]);
        const shares = FIELDS.map((field) => spareBitsOf[field]);
        expect(shares.reduce((sum, share) => sum + share)).toBe(spareBits);
        const full = layout.workerBits === 31 || layout.sequenceBits === 31 || layout.timestampBits === 53;
        if (!full) expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('refuses demands beyond 63 bits, and suggests the largest ones that fit', () => {
    let offers = 0;
    fc.assert(
      fc.property(demandsThatMayFit, (demands) => {
        const refusal = suggestionOrRefusal(demands);
        fc.pre(refusal instanceof InvalidOptionError);
        expect(refusal.option).toBe('years, workers, idsPerSecondPerWorker');
        for (const offer of offersOf(refusal, demands)) {
          offers++;
          expect(optionOf(offer)).toBe('nothing');
          // A longer tick only has to fit. The other demands are the largest that fit.
          if (offer.tickMs !== demands.tickMs) continue;
          for (const name of ['years', 'workers', 'idsPerSecondPerWorker'] as const) {
            if (offer[name] !== demands[name]) {
              expect(optionOf({ ...offer, [name]: offer[name] + 1 })).toBe(refusal.option);
            }
          }
        }
      }),
      { numRuns: runs(1000) },
    );
    expect(offers).toBeGreaterThan(runs(1000) / 5);
  });

  it.each([
    [
      { years: 100, workers: 100_000, idsPerSecondPerWorker: 100_000 },
      'years, workers, idsPerSecondPerWorker need 42 + 17 + 7 bits, and an ID has 63 ' +
        '(given: [100, 100000, 100000]). Use years: 17, or workers: 16384, or idsPerSecondPerWorker: 16000.',
    ],
    [
      { years: 100, workers: 2 ** 22, idsPerSecondPerWorker: 100 },
      'years, workers, idsPerSecondPerWorker need 42 + 22 + 1 bits, and an ID has 63 ' +
        '(given: [100, 4194304, 100]). Use years: 34, or workers: 1048576, or tickMs: 10.',
    ],
    [
      { years: 10_000, workers: 2 ** 31, idsPerSecondPerWorker: 1e9 },
      'years, workers, idsPerSecondPerWorker need 49 + 31 + 20 bits, and an ID has 63 ' +
        '(given: [10000, 2147483648, 1000000000]). Reduce at least two of them.',
    ],
  ])('says how to reduce %o', (demands, message) => {
    expect(() => suggestLayout(demands)).toThrow(message);
  });

  const demands = { years: 10, workers: 10, idsPerSecondPerWorker: 10 };

  it.each<[string, object]>([
    ['years', { years: 0 }],
    ['years', { years: 10_001 }],
    ['years', { years: 1.5 }],
    ['years', { years: '10' }],
    ['workers', { workers: 0 }],
    ['workers', { workers: 2 ** 31 + 1 }],
    ['workers', { workers: undefined }],
    ['idsPerSecondPerWorker', { idsPerSecondPerWorker: 0.1 }],
    ['idsPerSecondPerWorker', { idsPerSecondPerWorker: 1e9 + 1 }],
    ['idsPerSecondPerWorker', { idsPerSecondPerWorker: 35_791_395, tickMs: 60_000 }],
    ['tickMs', { tickMs: 0 }],
    ['tickMs', { tickMs: 60_001 }],
    ['epoch', { epoch: 'yesterday' }],
    ['years', { years: 10_000, epoch: 8.6e15 }],
    ['worker', { worker: 5 }],
  ])('refuses %s of %o', (option, wrong) => {
    expect(optionOf({ ...demands, ...wrong })).toBe(option);
  });

  it.each([undefined, null, 5, [], 'many'])('refuses %o as demands', (none) => {
    expect(() => suggestLayout(none as unknown as LayoutDemands)).toThrow(InvalidOptionError);
  });

  it('accepts the largest value of each demand', () => {
    expect(optionOf({ ...demands, workers: 1, years: 10_000 })).toBe('nothing');
    expect(optionOf({ ...demands, years: 1, tickMs: 60_000, workers: 2 ** 31 })).toBe('nothing');
    expect(optionOf({ ...demands, workers: 1, tickMs: 60_000, idsPerSecondPerWorker: 35_791_394 })).toBe(
      'nothing',
    );
  });
});
