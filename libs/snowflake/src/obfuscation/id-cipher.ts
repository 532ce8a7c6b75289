import { FF1 } from '@noble/ciphers/ff1.js';

const RADIX = 8;
/** 8^21 = 2^63. */
const DIGITS = 21;

/**
 * A keyed permutation of the 63-bit IDs: FF1 of NIST SP 800-38G with AES, radix 8, 21 digits and no tweak.
 *
 * Why FF1: the other method of that publication, FF3, is gone from the second draft of its revision (February 2025),
 * and Blowfish and 3DES, OpenSSL's ciphers of 64-bit blocks, are legacy or withdrawn. Why radix 8: a power of two makes
 * the domain exactly that of IDs, without a number that no ID could have; this one makes even halves of it, 30 and 33
 * bits, in fewer digits than 2.
 *
 * @see https://doi.org/10.6028/NIST.SP.800-38G
 */
export class IdCipher {
  private readonly ff1: ReturnType<typeof FF1>;

  /** @param key 32 bytes; kept, not copied */
  constructor(key: Uint8Array) {
    this.ff1 = FF1(RADIX, key);
  }

  encrypt(id: bigint): bigint {
    return fromDigits(this.ff1.encrypt(toDigits(id)));
  }

  decrypt(id: bigint): bigint {
    return fromDigits(this.ff1.decrypt(toDigits(id)));
  }
}

/** The octal digits of an ID, most significant first. */
function toDigits(id: bigint): number[] {
  return Array.from(id.toString(RADIX).padStart(DIGITS, '0'), Number);
}

function fromDigits(digits: readonly number[]): bigint {
  return BigInt(`0o${digits.join('')}`);
}
