import { FF1 } from '@noble/ciphers/ff1.js';
import fc from 'fast-check';
import { runs } from '../../../../../test/support/runs.js';
import { createCipheriv } from 'node:crypto';
import { inspect } from 'node:util';
import type { IdCodec } from '../../core/codecs/id-codec.js';
import { prefixedCodec } from '../../core/codecs/prefixed-codec.js';
import { base32Codec, base36Codec, base62Codec, hexCodec } from '../../core/codecs/radix-codecs.js';
import { InvalidIdError, InvalidOptionError } from '../../core/errors/input-errors.js';
import { MAX_ID } from '../../core/ids/id-words.js';
import { IdCipher } from './id-cipher.js';
import { obfuscatingCodec, type ObfuscatingCodecOptions } from './obfuscating-codec.js';
import type { ObfuscationKeys } from './obfuscation-keys.js';

const NIST_KEY = '2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94';
const DECIMAL_TWEAK = '39383736353433323130';
const BASE36_TWEAK = '3737373770717273373737';
const DECIMAL = '0123456789';
const BASE36 = '0123456789abcdefghi';

/** The samples that NIST published for FF1: key bytes, radix, tweak, plain text, cipher text. */
const NIST_SAMPLES: readonly [number, number, string, string, string][] = [
  [16, 10, '', DECIMAL, '2433477484'],
  [16, 10, DECIMAL_TWEAK, DECIMAL, '6124200773'],
  [16, 36, BASE36_TWEAK, BASE36, 'a9tv40mll9kdu509eum'],
  [24, 10, '', DECIMAL, '2830668132'],
  [24, 10, DECIMAL_TWEAK, DECIMAL, '2496655549'],
  [24, 36, BASE36_TWEAK, BASE36, 'xbj3kv35jrawxv32ysr'],
  [32, 10, '', DECIMAL, '6657667009'],
  [32, 10, DECIMAL_TWEAK, DECIMAL, '1001623463'],
  [32, 36, BASE36_TWEAK, BASE36, 'xs8a0azh2avyalyzuwd'],
];

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const digits = (text: string): number[] => Array.from(text, (digit) => parseInt(digit, 36));

interface Rounds {
  readonly key: Uint8Array;
  readonly tweak: Uint8Array;
  readonly radix: number;
  readonly count: number;
}

/**
 * FF1.Encrypt, Algorithm 7 of SP 800-38G, step by step on the AES of Node: an independent opinion on what IdCipher
 * computes. Its names are those of the publication.
 */
function ff1Encrypt(X: string, { key, tweak, radix, count }: Rounds): string {
  const aes = (block: Buffer): Buffer =>
    createCipheriv(`aes-${key.length * 8}-ecb`, key, null)
      .setAutoPadding(false)
      .update(block);
  const xor = (a: Buffer, b: Buffer): Buffer => Buffer.from(a.map((byte, at) => byte ^ (b[at] ?? 0)));
  const big = (value: bigint, length: number): Buffer =>
    Buffer.from(value.toString(16).padStart(length * 2, '0'), 'hex');
  const num = (text: string): bigint =>
    [...text].reduce((sum, x) => sum * BigInt(radix) + BigInt(parseInt(x, 36)), 0n);
  const n = X.length;
  const u = Math.floor(n / 2);
  const v = n - u;
  const b = Math.ceil((BigInt(radix) ** BigInt(v) - 1n).toString(2).length / 8);
  const d = 4 * Math.ceil(b / 4) + 4;
  const P = Buffer.concat([
    Buffer.from([1, 2, 1]),
    big(BigInt(radix), 3),
    Buffer.from([10, u % 256]),
    big(BigInt(n), 4),
    big(BigInt(tweak.length), 4),
  ]);
  const zeros = Buffer.alloc((((-tweak.length - b - 1) % 16) + 16) % 16);
  let A = X.slice(0, u);
  let B = X.slice(u);
  for (let i = 0; i < count; i++) {
    const Q = Buffer.concat([tweak, zeros, Buffer.from([i]), big(num(B), b)]);
    let R: Buffer = Buffer.alloc(16);
    const blocks = Buffer.concat([P, Q]);
    for (let at = 0; at < blocks.length; at += 16) R = aes(xor(R, blocks.subarray(at, at + 16)));
    let S = R;
    for (let j = 1n; S.length < d; j++) S = Buffer.concat([S, aes(xor(R, big(j, 16)))]);
    const y = BigInt(`0x${S.subarray(0, d).toString('hex')}`);
    const m = i % 2 === 0 ? u : v;
    const c = (num(A) + y) % BigInt(radix) ** BigInt(m);
    [A, B] = [B, c.toString(radix).padStart(m, '0')];
  }
  return A + B;
}

describe.each(NIST_SAMPLES)(
  'encrypts the NIST sample with %i key bytes, radix %i and tweak "%s" [promise: secrets]',
  (length, radix, tweak, plain, cipher) => {
    const key = bytes(NIST_KEY.slice(0, length * 2));

    it('computes the published vectors in both directions', () => {
      const ff1 = FF1(radix, key, bytes(tweak));
      expect(ff1.encrypt(digits(plain))).toEqual(digits(cipher));
      expect(ff1.decrypt(digits(cipher))).toEqual(digits(plain));
    });

    it('computes what the reference of this test computes, with no round less', () => {
      expect(ff1Encrypt(plain, { key, tweak: bytes(tweak), radix, count: 10 })).toBe(cipher);
      expect(ff1Encrypt(plain, { key, tweak: bytes(tweak), radix, count: 8 })).not.toBe(cipher);
    });
  },
);

describe('IdCipher [promise: secrets]', () => {
  const key = bytes(NIST_KEY);
  const reference = (id: bigint): bigint => {
    const octal = ff1Encrypt(id.toString(8).padStart(21, '0'), {
      key,
      tweak: bytes(''),
      radix: 8,
      count: 10,
    });
    return BigInt(`0o${octal}`);
  };

  it('computes FF1 over 21 octal digits, most significant first', () => {
    const cipher = new IdCipher(key);
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_ID }), (id) => {
        const encrypted = cipher.encrypt(id);
        expect(encrypted).toBe(reference(id));
        expect(cipher.decrypt(encrypted)).toBe(id);
      }),
      { numRuns: runs(300), examples: [[0n], [1n], [MAX_ID]] },
    );
  });

  // Texts are published and stored: the same key has to read them for ever.
  it.each([
    [0n, 2807595654944044273n],
    [1n, 4895105669308313759n],
    [382475217496248322n, 6441008793830601959n],
    [MAX_ID, 4379071239576121076n],
  ])('encrypts %d to the same number in every release', (id, encrypted) => {
    expect(new IdCipher(key).encrypt(id)).toBe(encrypted);
    expect(new IdCipher(key).decrypt(encrypted)).toBe(id);
  });
});

const KEY_1 = 'e0c1a92f6b7d4835f1029c3a5d7e6b48170f2d3c4b5a69788796a5b4c3d2e1f0';
const KEY_2 = '2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94';
const README_ID = '382475217496248322';

const ids = fc.oneof(
  fc.bigInt({ min: 0n, max: MAX_ID }),
  fc.constantFrom(0n, 1n, 2n, 2n ** 31n, 2n ** 32n, 2n ** 62n, MAX_ID - 1n, MAX_ID),
);

const both = (current: number): IdCodec<string> =>
  obfuscatingCodec({ keys: { 1: KEY_1, 2: KEY_2 }, current });

describe('the obfuscating codec', () => {
  const codec = both(2);

  it('gives every ID back, from a text of 12 characters that begins with the version', () => {
    fc.assert(
      fc.property(ids, (id) => {
        const text = codec.encode(id);
        expect(text).toMatch(/^2[0-9A-Za-z]{11}$/);
        expect(codec.decode(text)).toBe(id.toString());
        expect(codec.decodeBigInt(text)).toBe(id);
        expect(codec.encode(id.toString())).toBe(text);
      }),
      { numRuns: runs(200) },
    );
  });

  it('maps every 63-bit number to a text of its own, and back', () => {
    fc.assert(
      fc.property(ids, (number) => {
        const text = `2${base62Codec().encode(number)}`;
        expect(codec.encode(codec.decode(text))).toBe(text);
      }),
      { numRuns: runs(200) },
    );
  });

  it('gives different texts to different IDs', () => {
    const first = BigInt(README_ID);
    const texts = Array.from({ length: 200 }, (_, step) => codec.encode(first + BigInt(step)));
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('writes its number in any codec of fixed length', () => {
    for (const text of [hexCodec(), base32Codec(), base36Codec(), prefixedCodec('x')]) {
      const other = obfuscatingCodec({ keys: { 7: KEY_1 }, current: 7, text });
      expect(other.decode(other.encode(README_ID))).toBe(README_ID);
      expect(other.encode(0n)).toHaveLength(1 + text.encode(0n).length);
    }
    const prefixed = prefixedCodec('ord', codec);
    expect(prefixed.encode(README_ID)).toBe(`ord_${codec.encode(README_ID)}`);
    expect(prefixed.decode(prefixed.encode(README_ID))).toBe(README_ID);
    expect(prefixed.preservesOrder).toBe(false);
  });

  it.each(['', '2', '2 ', '20SFjugjHF1', '20SFjugjHF100', '20SFjugjHF-0', '2zzzzzzzzzzz', ' 20SFjugjHF10'])(
    'refuses to decode the text %j',
    (text) => {
      expect(() => codec.decode(text)).toThrow(InvalidIdError);
    },
  );

  it.each([1, null, undefined, {}, ['2'], 1n])('decodes no %o', (encoded) => {
    expect(() => codec.decode(encoded as string)).toThrow(/is of type \w+, not a string/);
  });

  it('quotes the whole string, and says where it is wrong', () => {
    expect(() => codec.decode('20SFj')).toThrow('"20SFj" has a part after its version that is too short');
    const decode = (): string => codec.decode('30SFjugjHF10');
    expect(decode).toThrow(`"30SFjugjHF10" doesn't start with the version of a key (1, 2)`);
    expect(decode).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_INVALID_ID' }));
  });

  it.each(['x', '01', 1, MAX_ID + 1n, -1n, null])('refuses to encode %o', (id) => {
    expect(() => codec.encode(id as string)).toThrow(InvalidIdError);
  });
});

describe('what outsiders see [promise: secrets]', () => {
  interface Spread {
    /** For each of the 63 bits: in what share of the steps from one ID to the next it changed. */
    readonly changes: readonly number[];
    /** In what share of the steps the text went up. */
    readonly ascents: number;
  }

  /** Texts in hex of neighboring IDs of one millisecond. */
  function spreadOf(encode: (id: bigint) => string): Spread {
    const steps = 400;
    const texts = Array.from({ length: steps + 1 }, (_, step) => encode(BigInt(README_ID) + BigInt(step)));
    const pairs = texts.slice(1).map((text, at) => [BigInt(`0x${texts[at]}`), BigInt(`0x${text}`)] as const);
    const bits = Array.from({ length: 63 }, (_, bit) => BigInt(bit));
    return {
      changes: bits.map((bit) => pairs.filter(([a, b]) => (((a ^ b) >> bit) & 1n) === 1n).length / steps),
      ascents: pairs.filter(([a, b]) => a < b).length / steps,
    };
  }

  /** Of 400 coins, 36 to 64 % show heads but for about one time in a hundred million. */
  const assertHidden = ({ changes, ascents }: Spread): void => {
    const tosses = [...changes, ascents];
    expect(tosses.filter((share) => share < 0.36 || share > 0.64)).toEqual([]);
  };

  it('hides which IDs are neighbors: every bit is random, and so is the order', () => {
    const codec = obfuscatingCodec({ keys: { 1: KEY_1 }, current: 1, text: hexCodec() });
    assertHidden(spreadOf((id) => codec.encode(id).slice(1)));
  });

  // Controls: what obfuscates only at first sight does not pass.
  it.each<[string, (id: bigint) => bigint]>([
    ['exclusive or with a key', (id) => id ^ (BigInt(`0x${KEY_1}`) & MAX_ID)],
    ['multiplication with an odd number', (id) => (id * 6364136223846793005n) & MAX_ID],
    ['no cipher', (id) => id],
  ])('shows which IDs are neighbors with %s (control)', (_name, scramble) => {
    expect(() => assertHidden(spreadOf((id) => hexCodec().encode(scramble(id))))).toThrow();
  });
});

describe('rotation of keys [promise: secrets]', () => {
  const old = obfuscatingCodec({ keys: { 1: KEY_1 }, current: 1 });

  it('reads the texts of all listed keys, and writes with the current one', () => {
    const text = old.encode(README_ID);
    expect(both(1).encode(README_ID)).toBe(text);
    expect(both(2).decode(text)).toBe(README_ID);
    expect(both(2).encode(README_ID)).not.toBe(text);
    expect(both(2).encode(README_ID).slice(1)).not.toBe(text.slice(1));
    expect(() => old.decode(both(2).encode(README_ID))).toThrow(InvalidIdError);
  });

  it('gives another ID under another key: nothing checks where a text came from', () => {
    const other = obfuscatingCodec({ keys: { 1: KEY_2 }, current: 1 });
    const id = other.decode(old.encode(README_ID));
    expect(id).not.toBe(README_ID);
    expect(BigInt(id)).toBeLessThanOrEqual(MAX_ID);
  });

  it('takes a key as bytes, and does not notice when they change later', () => {
    const key = Buffer.from(KEY_1, 'hex');
    const codec = obfuscatingCodec({ keys: { 1: key }, current: 1 });
    key.fill(0);
    expect(codec.encode(README_ID)).toBe(old.encode(README_ID));
  });
});

describe('the options of the obfuscating codec [promise: secrets]', () => {
  const secret = 'do-not-show-this';
  const keyed = (key: unknown): ObfuscatingCodecOptions => ({ keys: { 1: key as string }, current: 1 });

  it.each<[string, unknown, string]>([
    ['a short text', secret, 'keys.1 must be 64 hexadecimal digits (given: "a string of 16 characters")'],
    ['half a key', KEY_1.slice(32), 'must be 64 hexadecimal digits'],
    ['two keys', KEY_1 + KEY_2, 'must be 64 hexadecimal digits'],
    ['other letters', KEY_1.replace('e', 'g'), 'must be 64 hexadecimal digits'],
    ['a key with a line end', `${KEY_1}\n`, 'must be 64 hexadecimal digits'],
    ['16 bytes', Buffer.from(KEY_1.slice(32), 'hex'), 'is not 32 bytes long (given: "16 bytes")'],
    ['no bytes', Buffer.alloc(0), 'is not 32 bytes long'],
    ['zeros', Buffer.alloc(32), 'repeats its bytes'],
    ['zeros in hex', '0'.repeat(64), 'repeats its bytes'],
    ['one byte repeated', 'ab'.repeat(32), 'repeats its bytes'],
    ['a pattern', '0123456789abcdef'.repeat(4), 'repeats its bytes'],
    ['hex taken for bytes', Buffer.from(KEY_1.slice(32)), 'is not random'],
    ['a pass phrase', Buffer.from('correct horse battery staple 123'), 'consists of printable characters'],
    ['a number', 7, 'must be a Uint8Array or a string'],
    ['nothing', undefined, 'must be a Uint8Array or a string'],
    ['null', null, 'must be a Uint8Array or a string'],
    ['an array', [1, 2, 3], 'must be a Uint8Array or a string'],
  ])('refuses a key: %s', (_name, key, problem) => {
    expect(() => obfuscatingCodec(keyed(key))).toThrow(InvalidOptionError);
    expect(() => obfuscatingCodec(keyed(key))).toThrow(problem);
    expect(() => obfuscatingCodec(keyed(key))).toThrow(/openssl rand -hex 32/);
  });

  it('shows no key in an error', () => {
    const hidden = [secret, KEY_1.slice(0, 60), Buffer.from(secret), { 1: KEY_1, 2: KEY_1 }, { x: KEY_1 }];
    for (const key of hidden) {
      const keys = typeof key === 'object' && !Buffer.isBuffer(key) ? key : { 1: key };
      const shown = [secret, KEY_1.slice(0, 8), Buffer.from(secret).toString('hex')];
      try {
        obfuscatingCodec({ keys: keys as ObfuscationKeys, current: 1 });
        throw new Error('was not refused');
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidOptionError);
        const text = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error);
        for (const part of shown) expect(text.split('\n    at ')[0]).not.toContain(part);
      }
    }
    expect(
      inspect(obfuscatingCodec({ keys: { 1: KEY_1 }, current: 1 }), { depth: 9, showHidden: true }),
    ).not.toContain(KEY_1.slice(0, 8));
  });

  it.each<[string, unknown, string]>([
    ['no options', undefined, 'options must be an object'],
    ['no keys', { current: 1 }, 'keys must be an object of keys'],
    ['an empty list', { keys: {}, current: 1 }, 'keys has no key'],
    ['keys in an array', { keys: [KEY_1], current: 0 }, 'keys must be an object of keys'],
    ['one key in place of all', { keys: KEY_1, current: 1 }, 'keys must be an object of keys'],
    ['a version of two digits', { keys: { 10: KEY_1 }, current: 10 }, 'has a version that is not a digit'],
    ['a version by name', { keys: { a: KEY_1 }, current: 1 }, 'has a version that is not a digit'],
    ['one key twice', { keys: { 1: KEY_1, 2: KEY_1.toUpperCase() }, current: 1 }, 'is the same as keys.1'],
    ['no current version', { keys: { 1: KEY_1 } }, 'current is not the version of a key'],
    [
      'an unknown version',
      { keys: { 1: KEY_1 }, current: 2 },
      'current is not the version of a key (given: 2)',
    ],
    ['a version as text', { keys: { 1: KEY_1 }, current: '1' }, 'current is not the version of a key'],
    ['a misspelt option', { keys: { 1: KEY_1 }, current: 1, codec: hexCodec() }, 'Unknown option "codec"'],
    [
      'texts of several lengths',
      { keys: { 1: KEY_1 }, current: 1, text: base62Codec({ padded: false }) },
      'text writes strings of several lengths',
    ],
    [
      'an object instead of a codec',
      { keys: { 1: KEY_1 }, current: 1, text: 'base62' },
      'text must be a codec',
    ],
  ])('refuses options: %s', (_name, options, problem) => {
    expect(() => obfuscatingCodec(options as ObfuscatingCodecOptions)).toThrow(InvalidOptionError);
    expect(() => obfuscatingCodec(options as ObfuscatingCodecOptions)).toThrow(problem);
  });
});
