import { createCipheriv } from 'node:crypto';
import { FF1 } from '@noble/ciphers/ff1.js';
import fc from 'fast-check';
import { MAX_ID } from '../core/ids/id-words.js';
import { IdCipher } from './id-cipher.js';

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
      { numRuns: 100, examples: [[0n], [1n], [MAX_ID]] },
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
