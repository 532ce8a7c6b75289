import fc from 'fast-check';
import { anyText } from '../../../../../test/support/any-text.js';
import { runs } from '../../../../../test/support/runs.js';
import { InvalidIdError, InvalidOptionError } from '../errors/input-errors.js';
import { MAX_ID } from '../ids/id-words.js';
import { BitLayout } from '../layout/bit-layout.js';
import { layoutPreset, layoutPresets } from '../layout/presets.js';
import { bytesCodec } from './bytes-codec.js';
import type { IdCodec } from './id-codec.js';
import { prefixedCodec, type PrefixedId } from './prefixed-codec.js';
import {
  base32Codec,
  base36Codec,
  base62Codec,
  decimalCodec,
  hexCodec,
  sortableDecimalCodec,
} from './radix-codecs.js';
import { readableCodec } from './readable-codec.js';
import { uuidCodec } from './uuid-codec.js';

interface TextCodec {
  readonly name: string;
  readonly codec: IdCodec<string>;
  readonly lengths: readonly [least: number, most: number];
  /** The encoded form of the ID in the README. */
  readonly example: string;
  /** Returns what `encode` writes for a string that `decode` reads, if they can differ. */
  readonly canonical?: (text: string) => string;
}

const README_ID = '382475217496248322';

const unpadded = { padded: false };
const crockford = (text: string): string => text.toUpperCase().replace(/[IL]/g, '1').replaceAll('O', '0');
const TEXT_CODECS: readonly TextCodec[] = [
  { name: 'decimal', codec: decimalCodec(), lengths: [1, 19], example: README_ID },
  { name: 'sortable decimal', codec: sortableDecimalCodec(), lengths: [19, 19], example: `0${README_ID}` },
  { name: 'hex', codec: hexCodec(), lengths: [16, 16], example: '054ed32f12411002' },
  { name: 'base36', codec: base36Codec(), lengths: [13, 13], example: '02wm05d9bsjcy' },
  { name: 'short base36', codec: base36Codec(unpadded), lengths: [1, 13], example: '2wm05d9bsjcy' },
  { name: 'base62', codec: base62Codec(), lengths: [11, 11], example: '0SFjugjHF10' },
  { name: 'short base62', codec: base62Codec(unpadded), lengths: [1, 11], example: 'SFjugjHF10' },
  { name: 'base32', codec: base32Codec(), lengths: [13, 13], example: '0AKPK5W942402', canonical: crockford },
  {
    name: 'short base32',
    codec: base32Codec(unpadded),
    lengths: [1, 13],
    example: 'AKPK5W942402',
    canonical: crockford,
  },
  { name: 'prefixed', codec: prefixedCodec('ord'), lengths: [15, 15], example: 'ord_0SFjugjHF10' },
  {
    name: 'prefixed short base36',
    codec: prefixedCodec('line_item2', base36Codec(unpadded)),
    lengths: [12, 24],
    example: 'line_item2_2wm05d9bsjcy',
  },
  {
    name: 'readable',
    codec: readableCodec(new BitLayout()),
    lengths: [28, 28],
    example: '20261121T101957897-0017-0002',
  },
  {
    name: 'UUID',
    codec: uuidCodec(),
    lengths: [36, 36],
    example: '054ed32f-1241-8100-8656-eda78e74889e',
    canonical: (text) => text.toLowerCase(),
  },
];
const BYTES = { name: 'bytes', codec: bytesCodec() };

/** IDs of all lengths and magnitudes, neighbors of powers of two, and both ends. */
const ids = fc.oneof(
  fc.bigInt({ min: 0n, max: MAX_ID }),
  fc.integer({ min: 0, max: 62 }).chain((bits) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) })),
  fc.constantFrom(0n, 1n, MAX_ID - 1n, MAX_ID),
);

describe.each([...TEXT_CODECS, BYTES])('the $name codec', ({ codec }) => {
  const { encode, decode, decodeBigInt } = codec as IdCodec<unknown>;

  it('returns every ID, as a string and as a bigint', () => {
    fc.assert(
      fc.property(
        ids,
        (id) => decode(encode(id)) === id.toString() && decodeBigInt(encode(id.toString())) === id,
      ),
      { numRuns: runs(500) },
    );
  });

  it.each([1, 'x', '01', ' 1', '', '9223372036854775808', MAX_ID + 1n, -1n, null, undefined, {}])(
    'refuses to encode %o',
    (id) => {
      expect(() => encode(id as string)).toThrow(InvalidIdError);
    },
  );

  it.each([1, 1n, true, null, undefined, {}, ['1'], new String('1'), new ArrayBuffer(8), new Int8Array(8)])(
    'refuses to decode %o',
    (encoded) => {
      expect(() => decode(encoded)).toThrow(InvalidIdError);
      expect(() => decodeBigInt(encoded)).toThrow(InvalidIdError);
    },
  );

  it('freezes the codec', () => {
    expect(Object.isFrozen(codec)).toBe(true);
  });
});

describe('the order of IDs', () => {
  it.each([...TEXT_CODECS, BYTES].filter(({ codec }) => codec.preservesOrder))(
    'keeps the order of IDs in the texts of $name',
    ({ codec }) => {
      assertOrderPreserved(codec);
    },
  );

  // Control: the search finds unordered pairs if a codec doesn't preserve order.
  it.each(TEXT_CODECS.filter(({ codec }) => !codec.preservesOrder))(
    'loses the order of IDs in the texts of $name',
    ({ codec }) => {
      expect(() => assertOrderPreserved(codec)).toThrow('Property failed');
    },
  );

  it('keeps the order of IDs in every codec of fixed length, and in no other', () => {
    const fixed = TEXT_CODECS.filter(({ lengths: [least, most] }) => least === most);
    expect(TEXT_CODECS.filter(({ codec }) => codec.preservesOrder)).toEqual(fixed);
  });
});

describe.each(TEXT_CODECS)('the string of the $name codec', ({ codec, lengths, example, canonical }) => {
  it('writes the text in the documentation', () => {
    expect(codec.encode(README_ID)).toBe(example);
    expect(codec.decode(example)).toBe(README_ID);
  });

  it(`writes ${lengths.join(' to ')} characters`, () => {
    const [least, most] = lengths;
    expect([codec.encode(0n).length, codec.encode(MAX_ID).length]).toEqual([least, most]);
    fc.assert(
      fc.property(ids, (id) => {
        const { length } = codec.encode(id);
        return length >= least && length <= most;
      }),
    );
  });

  it('decodes no other text to the same ID', () => {
    assertCanonical(codec, canonical);
  });

  it('matches the pattern of its codec, which other texts do not', () => {
    const pattern = new RegExp(codec.pattern!);
    fc.assert(fc.property(ids, (id) => pattern.test(codec.encode(id))));
    for (const other of ['', ' ', `${example} `, `${example}\n`, `${example}${'0'.repeat(64)}`])
      expect(pattern.test(other)).toBe(false);
  });

  it.each([
    '',
    ' ',
    `${example} `,
    ` ${example}`,
    `${example}\n`,
    `-${example}`,
    `+${example}`,
    `${example}\u0000`,
  ])('refuses the text %j', (text) => {
    expect(() => codec.decode(text)).toThrow(InvalidIdError);
  });

  it('refuses a very long text', () => {
    expect(() => codec.decode(example + '0'.repeat(1_000_000))).toThrow(InvalidIdError);
  });
});

// Control: the search finds a second string of an ID if a codec reads one.
it('detects a codec that reads shorter strings than it writes (control)', () => {
  const lax: IdCodec<string> = {
    ...hexCodec(),
    decode: (text) => {
      if (!/^[0-7]?[0-9a-f]{1,15}$/.test(text)) throw new InvalidIdError(text, 'is not hexadecimal');
      return BigInt(`0x${text}`).toString();
    },
  };
  // Enough that chance does not hide it.
  expect(() => assertCanonical(lax, undefined, 10_000)).toThrow('Property failed');
  expect(() => assertCanonical(hexCodec())).not.toThrow();
});

describe('positional notation', () => {
  it.each([
    ['hex', hexCodec(), 16],
    ['base36', base36Codec(), 36],
    ['decimal', sortableDecimalCodec(), 10],
  ])('writes in %s what JavaScript writes', (_name, codec, radix) => {
    fc.assert(
      fc.property(ids, (id) => {
        expect(codec.encode(id).replace(/^0+(?=.)/, '')).toBe(id.toString(radix));
      }),
    );
  });

  it.each([
    [0n, '00000000000'],
    [61n, '0000000000z'],
    [62n, '00000000010'],
    [62n ** 8n - 1n, '000zzzzzzzz'],
    [62n ** 8n, '00100000000'],
    [62n ** 10n, '10000000000'],
    [MAX_ID, 'AzL8n0Y58m7'],
  ])('encodes %d as %s in base 62', (id, text) => {
    expect(base62Codec().encode(id)).toBe(text);
  });

  it('refuses the first number that exceeds 63 bits, in every form', () => {
    const beyond: [IdCodec<string>, string][] = [
      [decimalCodec(), '9223372036854775808'],
      [sortableDecimalCodec(), '9223372036854775808'],
      [hexCodec(), '8000000000000000'],
      [base36Codec(), '1y2p0ij32e8e8'],
      [base62Codec(), 'AzL8n0Y58m8'],
      [base32Codec(), '8000000000000'],
      [prefixedCodec('ord'), 'ord_zzzzzzzzzzz'],
    ];
    for (const [codec, text] of beyond) expect(() => codec.decode(text)).toThrow(/exceeds 63 bits/);
  });

  it("reads Crockford's lower case and look-alikes, but no U, hyphen or check symbol", () => {
    const codec = base32Codec();
    const text = codec.encode(README_ID);
    for (const same of [text.toLowerCase(), text.replaceAll('0', 'O'), text.replaceAll('0', 'o')]) {
      expect(codec.decode(same)).toBe(README_ID);
    }
    for (const one of 'ILil1') expect(codec.decode(`000000000000${one}`)).toBe('1');
    for (const none of 'Uu-*~$=') expect(() => codec.decode(`000000000000${none}`)).toThrow(/can't read/);
    expect(base32Codec(unpadded).decode('o')).toBe('0');
    expect(() => base32Codec(unpadded).decode('O1')).toThrow(/leading zero/);
  });

  it.each([
    [base62Codec(), '', 'is empty'],
    [base62Codec(), '0SFjugjHF1', 'is too short'],
    [base62Codec(), '0SFjugjHF100', 'is too long'],
    [base62Codec(), '0SFjugjHF-0', "contains a character that this codec can't read"],
    [base62Codec(), '0SFjugjHFÖ0', "contains a character that this codec can't read"],
    [base62Codec(unpadded), '0SFjugjHF10', 'has a leading zero'],
    [hexCodec(), '054ED32F12411002', "contains a character that this codec can't read"],
  ])('says what is wrong and what to do', (codec, text, problem) => {
    expect(() => codec.decode(text)).toThrow(`Not a Snowflake ID: "${text}" ${problem}`);
    expect(() => codec.decode(text)).toThrow(
      /Pass a string from encode\(\): [\dto ]+ of the characters 0123/,
    );
  });

  it.each([{ padded: 1 }, { padded: 'yes' }, { pad: true }, null, [], 'padded'])(
    'refuses the options %o',
    (options) => {
      for (const make of [base32Codec, base36Codec, base62Codec]) {
        expect(() => make(options as object)).toThrow(InvalidOptionError);
      }
    },
  );
});

describe('the prefixed codec', () => {
  it.each([
    '',
    'Ord',
    'ord_',
    '_ord',
    '1rd',
    'o rd',
    'o-rd',
    'ö',
    'a'.repeat(64),
    'ord\n',
    null,
    undefined,
    7,
  ])('refuses the prefix %j', (prefix) => {
    expect(() => prefixedCodec(prefix as string)).toThrow(InvalidOptionError);
  });

  it.each([null, 'base62', {}, { encode: String }])('refuses the inner codec %j', (inner) => {
    expect(() => prefixedCodec('ord', inner as unknown as IdCodec<string>)).toThrow('inner must be a codec');
  });

  it('accepts prefixes of TypeID', () => {
    for (const prefix of ['o', 'ord', 'order_line', 'v2', 'a'.repeat(63)]) {
      const codec = prefixedCodec(prefix);
      expect(codec.decode(codec.encode(README_ID))).toBe(README_ID);
    }
  });

  it('shows the whole string, and which part is wrong', () => {
    const codec: IdCodec<string> = prefixedCodec('ord');
    expect(() => codec.decode('inv_0SFjugjHF10')).toThrow('"inv_0SFjugjHF10" doesn\'t start with ord_');
    expect(() => codec.decode('ord_x')).toThrow('"ord_x" has a part after ord_ that is too short');
    expect(() => codec.decode('ord')).toThrow(InvalidIdError);
    expect(() => codec.decode('ORD_0SFjugjHF10')).toThrow(InvalidIdError);
  });

  it('is kept apart from the codec of another prefix by the compiler, and at run time', () => {
    const [orderIds, customerIds] = [prefixedCodec('ord'), prefixedCodec('cus')];
    const customerId = customerIds.encode(README_ID);
    // @ts-expect-error It is the ID of a customer.
    expect(() => orderIds.decode(customerId)).toThrow(InvalidIdError);
    const sold: { id: PrefixedId<'ord'> } = { id: orderIds.encode(README_ID) };
    expect(orderIds.decode(sold.id)).toBe(README_ID);
  });

  it.each(['ord_0SFjugjHF10', 'cus_0SFjugjHF10', 'ord_x', 'ord_zzzzzzzzzzz', '', undefined, 7])(
    'recognizes %j as what decode accepts, or not',
    (value) => {
      const codec = prefixedCodec('ord');
      expect(codec.is(value)).toBe(value === 'ord_0SFjugjHF10');
      if (codec.is(value)) expect(codec.decode(value)).toBe(README_ID);
    },
  );

  it("rethrows errors that aren't about the string", () => {
    const broken: IdCodec<string> = {
      ...base62Codec(),
      decodeBigInt: () => {
        throw new TypeError('broken');
      },
    };
    expect(() => prefixedCodec('ord', broken).decode('ord_1')).toThrow(TypeError);
  });
});

describe('the bytes codec', () => {
  it('writes the most significant byte first, and reads a view of a larger buffer', () => {
    expect([...bytesCodec().encode(0x0102030405060708n)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const packet = Buffer.from([9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(bytesCodec().decodeBigInt(packet.subarray(2, 10))).toBe(0x0102030405060708n);
  });

  it.each([
    [Buffer.alloc(7), 'has 7 bytes'],
    [Buffer.alloc(9), 'has 9 bytes'],
    [Buffer.alloc(0), 'has 0 bytes'],
    [Buffer.from('8000000000000000', 'hex'), 'exceeds 63 bits'],
    [[1, 2, 3, 4, 5, 6, 7, 8] as unknown as Uint8Array, 'is not a Uint8Array'],
  ])('refuses the bytes %o', (bytes, problem) => {
    expect(() => bytesCodec().decode(bytes)).toThrow(problem);
  });
});

function preset(name: string): BitLayout {
  const { layout, epoch } = layoutPreset(name);
  return new BitLayout(layout, epoch);
}

describe('the readable codec', () => {
  it.each([
    ['twitter', '20260101T000000000-17-05-0042', { datacenterId: 17, workerId: 5, sequence: 42 }],
    ['jsSafe53', '20260101T000000000-05-042', { workerId: 5, sequence: 42 }],
    ['sonyflake', '20260101T000000000-042-00005', { workerId: 5, sequence: 42 }],
    ['baidu', '20240101T000000000-0000005-0042', { workerId: 5, sequence: 42 }],
  ])('shows the fields of %s in their order', (name, text, fields) => {
    const layout = preset(name);
    const id = layout.compose({ tick: layout.tickAt(Date.UTC(Number(text.slice(0, 4)), 0)), ...fields });
    expect(readableCodec(layout).encode(id)).toBe(text);
    expect(readableCodec(layout).decodeBigInt(text)).toBe(id);
  });

  it('omits a field of 0 bits', () => {
    const layout = new BitLayout({ workerBits: 0, sequenceBits: 4 });
    expect(readableCodec(layout).encode(15n)).toBe('20240101T000000000-15');
    expect(readableCodec(layout).decode('20240101T000000000-15')).toBe('15');
  });

  it.each(Object.keys(layoutPresets))('returns all IDs of %s, in their order', (name) => {
    const layout = preset(name);
    const codec = readableCodec(layout);
    const last = layout.compose({
      tick: layout.maxTick,
      datacenterId: layout.maxDatacenterId,
      workerId: layout.maxWorkerId,
      sequence: layout.maxSequence,
    });
    const storable = fc.bigInt({ min: 0n, max: last });
    fc.assert(
      fc.property(storable, storable, (a, b) => {
        expect(codec.decodeBigInt(codec.encode(a))).toBe(a);
        expect(codec.encode(a) < codec.encode(b)).toBe(a < b);
      }),
      { examples: [[0n, last]] },
    );
    expect(codec.encode(last)).toContain(
      new Date(layout.startOfTick(layout.maxTick)).getUTCFullYear().toString(),
    );
  });

  it.each([
    ['20261121T101957897-0017', "doesn't have 2 fields"],
    ['20261121T101957897-0017-0002-0', "doesn't have 2 fields"],
    ['20261121T101957897-17-0002', 'has a workerId that is not 4 digits'],
    ['20261121T101957897-0017-+002', 'has a sequence that is not 4 digits'],
    ['20261121T101957897-0017-٠٠٠٢', 'has a sequence that is not 4 digits'],
    ['20261121T101957897-1024-0002', 'has a workerId above 1023'],
    ['20261121T101957897-0017-4096', 'has a sequence above 4095'],
    ['20231231T235959999-0017-0002', "is before the layout's epoch"],
    ['20930906T154735552-0017-0002', 'is beyond the end of the layout'],
    ['20260230T101957897-0017-0002', "doesn't start with a time"],
    ['20261321T101957897-0017-0002', "doesn't start with a time"],
    ['20261121T240000000-0017-0002', "doesn't start with a time"],
    ['20261121T101960000-0017-0002', "doesn't start with a time"],
    ['20261121T101957897Z-0017-0002', "doesn't start with a time"],
    ['2026-11-21T10:19:57.897-0017-0002', "doesn't start with a time"],
    ['Sat Nov 21 2026-0017-0002', "doesn't start with a time"],
  ])('refuses the text %s', (text, problem) => {
    const decode = (): string => readableCodec(new BitLayout()).decode(text);
    expect(decode).toThrow(InvalidIdError);
    expect(decode).toThrow(problem);
    expect(decode).toThrow(/from encode\(\) with the same layout, such as 20240101T000000000-0000-0000/);
  });

  it('refuses a time within a tick, because no ID has it', () => {
    const codec = readableCodec(preset('sonyflake'));
    expect(codec.decode('20260101T000000010-000-00000')).toMatch(/^\d+$/);
    expect(() => codec.decode('20260101T000000011-000-00000')).toThrow('is not the start of a 10 ms tick');
  });

  it("throws on IDs and layouts that it can't show", () => {
    const long = readableCodec(new BitLayout({ timestampBits: 52, workerBits: 5, sequenceBits: 6 }));
    expect(() => long.encode(MAX_ID)).toThrow(InvalidIdError);
    expect(() => long.encode(MAX_ID)).toThrow('is after the year 9999');
    const short = readableCodec(new BitLayout({ timestampBits: 40 }));
    expect(() => short.encode(MAX_ID)).toThrow(InvalidIdError);
    for (const none of [undefined, null, {}, 'twitter']) {
      expect(() => readableCodec(none as BitLayout)).toThrow('layout is not a BitLayout');
    }
    expect(() => readableCodec(new BitLayout({}, '-000001-01-01T00:00:00Z'))).toThrow(InvalidOptionError);
    expect(() => readableCodec(new BitLayout({}, '+010000-01-01T00:00:00Z'))).toThrow(InvalidOptionError);
  });
});

/** Compares as a database does: ASCII bytes, or the bytes themselves. */
function order(a: string | Uint8Array, b: string | Uint8Array): number {
  return Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** Throws a report if it finds two IDs whose order `codec` doesn't preserve. */
function assertOrderPreserved(codec: IdCodec<string> | IdCodec<Uint8Array>): void {
  fc.assert(
    fc.property(ids, ids, (a, b) => order(codec.encode(a), codec.encode(b)) === (a < b ? -1 : a > b ? 1 : 0)),
    { numRuns: runs(1000) },
  );
}

/** Throws a report if it finds a string that `codec` reads but doesn't write. */
function assertCanonical(
  codec: IdCodec<string>,
  canonical = (text: string): string => text,
  numRuns = runs(1000),
): void {
  const idOrUndefined = (text: string): string | undefined => {
    try {
      return codec.decode(text);
    } catch (error) {
      if (error instanceof InvalidIdError) return undefined;
      throw error;
    }
  };
  const altered = fc
    .tuple(ids, fc.nat({ max: 30 }), fc.nat({ max: 1 }), anyText(2))
    .map(([id, at, dropped, put]) => {
      const text = codec.encode(id);
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + dropped);
    });
  fc.assert(
    fc.property(fc.oneof(altered, fc.string(), anyText(30)), (text) => {
      const id = idOrUndefined(text);
      return id === undefined || codec.encode(id) === canonical(text);
    }),
    { numRuns },
  );
}
