import fc from 'fast-check';
import { inspect } from 'node:util';
import { anyText } from '../../../../../test/support/any-text.js';
import { runs } from '../../../../../test/support/runs.js';
import { InvalidIdError, InvalidOptionError } from '../errors/input-errors.js';
import type { BitLayoutOptions } from '../layout/bit-layout-options.js';
import { BitLayout } from '../layout/bit-layout.js';
import { DecimalDigits } from './decimal-digits.js';
import { IdDecoder } from './decoder.js';
import { readId, writtenId } from './exact-id.js';
import { MAX_ID, wordsOf } from './id-words.js';

const layouts: fc.Arbitrary<BitLayoutOptions> = fc
  .record({
    datacenterBits: fc.integer({ min: 0, max: 8 }),
    workerBits: fc.integer({ min: 0, max: 16 }),
    sequenceBits: fc.integer({ min: 1, max: 16 }),
    tickMs: fc.constantFrom(1, 7, 10, 1000),
    order: fc.shuffledSubarray(['datacenter', 'worker', 'sequence'] as const, { minLength: 3 }),
  })
  .filter(({ order, datacenterBits, workerBits, sequenceBits }) => {
    const below = order.slice(order.indexOf('sequence') + 1);
    const bits = { datacenter: datacenterBits, worker: workerBits, sequence: sequenceBits };
    return below.reduce((sum, name) => sum + bits[name], sequenceBits) <= 32;
  });

/** Instants from just before 1970 to after the present. */
const epochs = fc.integer({ min: -1e12, max: 4e12 }).map((ms) => new Date(ms));

describe('wordsOf', () => {
  it('reads every 63-bit ID exactly, from strings and bigints', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_ID }), (id) => {
        const words = { high: Number(id >> 32n), low: Number(id & 0xffffffffn) };
        expect(wordsOf(id)).toEqual(words);
        expect(wordsOf(id.toString())).toEqual(words);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('reads strings exactly whose value as a double rounds to another high word', () => {
    const nearWords = fc.tuple(
      fc.bigInt({ min: 0n, max: 2n ** 31n }),
      fc.bigInt({ min: -(2n ** 14n), max: 2n ** 14n }),
    );
    let roundedAcross = 0;
    fc.assert(
      fc.property(nearWords, ([high, offset]) => {
        const id = (high << 32n) + offset;
        fc.pre(id >= 0n && id <= MAX_ID);
        const { high: read, low } = wordsOf(id.toString());
        expect((BigInt(read) << 32n) + BigInt(low)).toBe(id);
        if (Math.floor(Number(id) / 2 ** 32) !== read) roundedAcross++;
      }),
      { numRuns: runs(5000) },
    );
    expect(roundedAcross).toBeGreaterThan(0);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '-1',
    '01',
    '00',
    '1e3',
    '0x10',
    '1.0',
    '1_000',
    '١٢٣',
    '9223372036854775808',
    '99999999999999999999',
    '1'.repeat(10_000),
    'NaN',
    '12345678901234567\u0000',
    -1n,
    MAX_ID + 1n,
    1700000000000000000,
    null,
    undefined,
    {},
    ['1'],
  ])('refuses the ID %o', (id) => {
    expect(() => wordsOf(id as string)).toThrow(InvalidIdError);
  });

  it('reads canonical 63-bit decimals and refuses every other string with a typed error', () => {
    const nearlyIds = fc.tuple(fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }), fc.string({ maxLength: 2 }));
    const strings = fc.oneof(
      fc.string(),
      anyText(),
      nearlyIds.map(([id, junk]) => `${id}${junk}`),
    );
    fc.assert(
      fc.property(strings, (text) => {
        const isId = /^(0|[1-9][0-9]{0,18})$/.test(text) && BigInt(text) <= MAX_ID;
        if (isId) expect(new IdDecoder(new BitLayout()).decode(text).id).toBe(text);
        else expect(() => wordsOf(text)).toThrow(InvalidIdError);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('says what to pass instead of a number', () => {
    expect(() => wordsOf(1 as unknown as string)).toThrow(/is of type number.*decimal string/);
  });
});

describe('IdDecoder', () => {
  it('returns the composed fields for any layout, and IDs sort by time', () => {
    fc.assert(
      fc.property(layouts, epochs, fc.infiniteStream(fc.maxSafeNat()), (options, epoch, numbers) => {
        const layout = new BitLayout(options, epoch);
        const decoder = new IdDecoder(layout);
        const upTo = (max: number): number => (numbers.next().value as number) % (max + 1);
        const fields = {
          tick: upTo(layout.maxTick),
          datacenterId: upTo(layout.maxDatacenterId),
          workerId: upTo(layout.maxWorkerId),
          sequence: upTo(layout.maxSequence),
        };
        const id = layout.compose(fields);
        const decoded = decoder.decode(id);
        expect({ ...decoded, datacenterId: decoded.datacenterId ?? 0 }).toMatchObject(fields);
        expect(decoder.decode(id.toString())).toEqual(decoded);
        expect(BigInt(decoder.firstIdAt(decoded.timestamp))).toBeLessThanOrEqual(id);
        expect(BigInt(decoder.lastIdAt(decoded.timestamp))).toBeGreaterThanOrEqual(id);
        if (fields.tick > 0) {
          const before = new Date(layout.startOfTick(fields.tick) - 1);
          expect(BigInt(decoder.lastIdAt(before))).toBeLessThan(id);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('shows all fields as JSON and in a log, and compares by its fields', () => {
    const layout = new BitLayout({ datacenterBits: 2, workerBits: 8 }, 0);
    const id = layout.compose({ tick: 1_000, datacenterId: 3, workerId: 7, sequence: 5 });
    const decoded = new IdDecoder(layout).decode(id);
    const shown = {
      id: String(id),
      timestamp: '1970-01-01T00:00:01.000Z',
      timestampMs: 1000,
      tick: 1000,
      datacenterId: 3,
      workerId: 7,
      sequence: 5,
    };
    expect(JSON.parse(JSON.stringify(decoded))).toEqual(shown);
    expect(inspect(decoded)).toBe(inspect({ ...shown, timestamp: new Date(1000) }));
    expect(decoded).toEqual(new IdDecoder(layout).decode(String(id)));
    expect(decoded).not.toEqual(new IdDecoder(layout).decode(id + 1n));
  });

  it('omits the datacenter if the layout has none', () => {
    expect(new IdDecoder(new BitLayout()).decode('1')).not.toHaveProperty('datacenterId');
    expect(new IdDecoder(new BitLayout({ datacenterBits: 2 })).decode('1')).toHaveProperty('datacenterId', 0);
  });

  it('refuses an ID beyond the timestamp field of a narrower layout', () => {
    const decoder = new IdDecoder(new BitLayout({ timestampBits: 41, workerBits: 5, sequenceBits: 7 }));
    expect(() => decoder.decode(2n ** 53n)).toThrow(/beyond the end of the layout's 41 timestamp bits/);
    expect(decoder.decode(2n ** 53n - 1n).sequence).toBe(127);
  });

  it('bounds exactly the IDs of a tick, and no IDs before the epoch', () => {
    const decoder = new IdDecoder(new BitLayout({}, '2024-01-01T00:00:00Z'));
    expect(decoder.firstIdAt('2024-01-01T00:00:00Z')).toBe('0');
    expect(decoder.lastIdAt('2024-01-01T00:00:00Z')).toBe(String(2 ** 22 - 1));
    expect(decoder.firstIdAt('2024-01-01T00:00:00.001Z')).toBe(String(2 ** 22));
    expect(decoder.firstIdAt('2020-01-01T00:00:00Z')).toBe('0');
    expect(decoder.lastIdAt('2020-01-01T00:00:00Z')).toBe('0');
    expect(() => decoder.firstIdAt('2100-01-01T00:00:00Z')).toThrow(/after the end of the layout/);
    expect(() => decoder.firstIdAt(new Date(Number.NaN))).toThrow(
      /is not a valid instant \(given: Invalid Date\)/,
    );
  });
});

describe('idRange', () => {
  interface Bounds {
    readonly layout: BitLayout;
    readonly fromMs: number;
    readonly toMs: number;
  }

  /** Ranges of up to 50 ticks that start and end anywhere within a tick, or before the epoch. */
  const ranges: fc.Arbitrary<Bounds> = fc.tuple(layouts, epochs).chain(([options, epoch]) => {
    const layout = new BitLayout(options, epoch);
    const lifetimeMs = Math.min(layout.maxTick * layout.tickMs, 1e9);
    return fc
      .record({
        start: fc.integer({ min: -60_000, max: lifetimeMs - 200_000 }),
        length: fc.integer({ min: 0, max: 50 * layout.tickMs }),
      })
      .map(({ start, length }) => {
        const fromMs = layout.epochMs + start;
        return { layout, fromMs, toMs: fromMs + length };
      });
  });

  /** Returns the smallest and the largest ID of a tick. */
  const idsOf = (layout: BitLayout, tick: number): bigint[] => [
    layout.compose({ tick, workerId: 0, sequence: 0 }),
    layout.compose({
      tick,
      workerId: layout.maxWorkerId,
      datacenterId: layout.maxDatacenterId,
      sequence: layout.maxSequence,
    }),
  ];

  /** Returns the IDs, at both ends of each tick in and around a range, that the bounds wrongly include or exclude. */
  function misjudged({ layout, fromMs, toMs }: Bounds, first: string, before: string): bigint[] {
    const decoder = new IdDecoder(layout);
    const firstTick = Math.max(layout.tickAt(fromMs) - 2, 0);
    const lastTick = Math.max(layout.tickAt(toMs) + 2, 0);
    const ticks = Array.from({ length: lastTick - firstTick + 1 }, (_, index) => firstTick + index);
    return ticks
      .flatMap((tick) => idsOf(layout, tick))
      .filter((id) => {
        const { timestampMs } = decoder.decode(id);
        const belongs = fromMs <= timestampMs && timestampMs < toMs;
        return belongs !== (BigInt(first) <= id && id < BigInt(before));
      });
  }

  it('bounds exactly the IDs whose time is in the range, for any layout', () => {
    fc.assert(
      fc.property(ranges, (range) => {
        const { first, before } = new IdDecoder(range.layout).idRange(
          new Date(range.fromMs),
          new Date(range.toMs),
        );
        expect(misjudged(range, first, before)).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });

  it('neither skips nor repeats an ID in adjacent ranges', () => {
    fc.assert(
      fc.property(ranges, fc.nat(60_000), ({ layout, fromMs, toMs }, more) => {
        const decoder = new IdDecoder(layout);
        const [from, to, end] = [fromMs, toMs, toMs + more].map((ms) => new Date(ms)) as [Date, Date, Date];
        expect(decoder.idRange(from, to).before).toBe(decoder.idRange(to, end).first);
      }),
    );
  });

  it('detects bounds that are off by one (control)', () => {
    const layout = new BitLayout({}, 0);
    const range = { layout, fromMs: 1000, toMs: 1010 };
    const { first, before } = new IdDecoder(layout).idRange(new Date(1000), new Date(1010));
    const oneMore = (id: string, by: bigint): string => String(BigInt(id) + by);
    expect(misjudged(range, oneMore(first, 1n), before)).toHaveLength(1);
    expect(misjudged(range, oneMore(first, -1n), before)).toHaveLength(1);
    expect(misjudged(range, first, oneMore(before, 1n))).toHaveLength(1);
    expect(misjudged(range, first, oneMore(before, -1n))).toHaveLength(1);
  });

  it('accepts the instants that users write', () => {
    const decoder = new IdDecoder(new BitLayout({}, '2024-01-01T00:00:00Z'));
    const day = decoder.idRange('2024-01-02T00:00:00Z', new Date('2024-01-03T00:00:00Z'));
    expect(day).toEqual({ first: String(86_400_000n << 22n), before: String(172_800_000n << 22n) });
    expect(decoder.idRange('2020-01-01', '2021-01-01')).toEqual({ first: '0', before: '0' });
    expect(decoder.idRange(1.8e12, 1.8e12).first).toBe(decoder.firstIdAt(1.8e12));
  });

  it.each([
    ['2024-01-02', '2024-01-01', /^to is before from, 2024-01-02T00:00:00.000Z \(given: "2024-01-01"\)/],
    ['2024-01-02', '2100-01-01', /^to is after the end of the layout, 2093-09-06/],
    ['2100-01-02', '2100-01-03', /^from is after the end of the layout/],
    ['yesterday', '2024-01-01', /^from is not a valid instant/],
    ['2024-01-01', Number.NaN, /^to is not a valid instant/],
    ['2026-02-01', '2026-02-29', /^to is not a valid instant, because this day or time does not exist/],
    [1_767_225_600, 1_767_312_000, /^from looks like Unix time in seconds/],
  ])('refuses from %o to %o', (from, to, message) => {
    const decoder = new IdDecoder(new BitLayout({}, '2024-01-01T00:00:00Z'));
    expect(() => decoder.idRange(from, to)).toThrow(message);
  });
});

describe('the doubts about an ID', () => {
  const nowMs = Date.parse('2026-11-23T00:00:00Z');
  const layout = new BitLayout();
  const decoder = new IdDecoder(layout);
  const idAt = (time: string): string =>
    String(layout.compose({ tick: layout.tickAt(Date.parse(time)), workerId: 17, sequence: 3 }));

  it.each([
    ['of the past', idAt('2026-11-21T10:19:57.897Z'), []],
    ['of a clock that is a little ahead', idAt('2026-11-23T00:00:04Z'), []],
    ['of the future', idAt('2026-11-23T00:00:06Z'), ['future']],
    ['that is a counter', '2767', ['early']],
    ['of the second day of the layout', idAt('2024-01-02T00:00:00Z'), []],
    ['that JavaScript has rounded', String(Number('382475217496248323')), ['rounded']],
  ])('doubts an ID %s', (_, id, doubts) => {
    expect(decoder.doubts(id, nowMs)).toEqual(doubts);
    expect(decoder.doubts(BigInt(id), nowMs)).toEqual(doubts);
  });

  it('doubts no ID of the first day of a layout, on that day', () => {
    expect(decoder.doubts('2767', new Date('2024-01-01T12:00:00Z'))).toEqual([]);
  });

  it('doubts an ID beyond the end of the layout, where decode() throws', () => {
    const narrow = new IdDecoder(new BitLayout({ timestampBits: 40, workerBits: 10, sequenceBits: 12 }));
    expect(narrow.doubts('9007199254740993', nowMs)).toEqual([]);
    expect(narrow.doubts('9223372036854775807', nowMs)).toEqual(['beyondEnd']);
    expect(() => narrow.decode('9223372036854775807')).toThrow('beyond the end');
  });

  it('doubts every ID that was a JavaScript number, and few others', () => {
    const isRounded = (id: string): boolean => decoder.doubts(id, nowMs).includes('rounded');
    const above = fc.bigInt(2n ** 53n, 2n ** 63n - 1n);
    const inRange = above.map((id) => String(Number(id))).filter((id) => BigInt(id) < 2n ** 63n);
    fc.assert(fc.property(inRange, isRounded));
    const ids = Array.from({ length: 1000 }, (_, index) =>
      String(382475217496248322n + BigInt(index * 4099)),
    );
    expect(ids.filter(isRounded).length).toBeLessThan(50);
    expect(isRounded('9007199254740991')).toBe(false);
  });

  it.each([['x'], ['-1'], [String(2n ** 63n)], [1]])('refuses to doubt %o', (id) => {
    expect(() => decoder.doubts(id as string, nowMs)).toThrow(InvalidIdError);
    expect(() => decoder.doubts('1', 'today')).toThrow(InvalidOptionError);
  });
});

describe.each([
  ['passed by the app', writtenId],
  ['read by a driver', readId],
])('the text of an ID %s', (_, textOf) => {
  it.each(['382475217496248323', 382475217496248323n, 7, 0, 2 ** 53 - 1])(
    'keeps all digits of %o',
    (value) => {
      expect(textOf(value)).toBe(String(value));
    },
  );

  it.each([2 ** 53, 382475217496248320, 1.5, -1, NaN, -1n, '', '1e3', '9223372036854775808', {}, true])(
    'can not be had of %o, which is not an ID or may have been rounded',
    (value) => {
      expect(() => textOf(value as never)).toThrow(InvalidIdError);
    },
  );
});

describe('the refusal of an ID', () => {
  const remedyFor = (textOf: typeof readId, value: unknown): string => {
    try {
      return textOf(value as string);
    } catch (error) {
      return (error as InvalidIdError).remedy;
    }
  };

  it.each([-1, 1.5, NaN, 382475217496248320, 'abc', null])(
    'asks the app for another value if the app passed %o',
    (value) => {
      expect(remedyFor(writtenId, value)).toMatch(/Pass the decimal string/);
      expect(remedyFor(writtenId, value)).not.toMatch(/driver/);
    },
  );

  it('blames the driver for a rounded number only, and the row for anything else', () => {
    expect(remedyFor(readId, 382475217496248320)).toMatch(/driver/);
    for (const value of [-1, 1.5, NaN, '-5', 'abc']) expect(remedyFor(readId, value)).toMatch(/row/);
  });
});

/** High words of IDs with 18, 19 and fewer digits. */
const HIGH_WORDS = [89_000_000, 900_000_000, 1_000];

describe('the decimal digits of two words', () => {
  it.each(HIGH_WORDS)('gives a low word exactly after a higher one, under the high word %d', (high) => {
    const digits = new DecimalDigits();
    for (const low of [4_000_000_000, 25_000, 3, 4_294_967_295, 0]) {
      expect(digits.read(high, low)).toBe(String((BigInt(high) << 32n) + BigInt(low)));
    }
  });
});
