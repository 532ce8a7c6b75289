import { FF1 } from '@noble/ciphers/ff1.js';

const RADIX = 8;
/** 8^21 = 2^63. */
const DIGITS = 21;

/**
 * A keyed permutation of the 63-bit IDs: FF1 of NIST SP 800-38G with AES, radix 8, 21 digits and no tweak.
 *
 * Why FF1: the second draft of the revision (February 2025) removes FF3, the other method of that publication. Blowfish and
 * 3DES, OpenSSL's ciphers with 64-bit blocks, are legacy or withdrawn. Why radix 8: with a power of two, the domain is
 * exactly that of IDs, without numbers that no ID can have. Radix 8 gives nearly equal halves, 30 and 33 bits, in fewer
 * digits than radix 2.
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

/** Returns the octal digits of an ID, most significant first. */
function toDigits(id: bigint): number[] {
  return Array.from(id.toString(RADIX).padStart(DIGITS, '0'), Number);
}

function fromDigits(digits: readonly number[]): bigint {
  return BigInt(`0o${digits.join('')}`);
}
