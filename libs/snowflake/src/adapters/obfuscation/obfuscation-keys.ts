import { isBytes } from '../../core/codecs/bytes-codec.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { IdCipher } from './id-cipher.js';

/**
 * Secret keys by version, 0 to 9: 32 bytes each, or their 64 hexadecimal digits. A key that is `undefined`, e.g. from an
 * environment variable that is not set, causes an error at startup.
 */
export type ObfuscationKeys = Readonly<Record<number, Uint8Array | string | undefined>>;

/** Ciphers by the digit of their version. */
export type KeyedCiphers = ReadonlyMap<string, IdCipher>;

const KEY_BYTES = 32;
const MAX_VERSION_LENGTH = 4;
const HEX_KEY = /^[0-9a-f]{64}$/i;
/** 32 random bytes have 30 distinct values on average, and fewer than 16 once in 2^50 keys. */
const MIN_DISTINCT_BYTES = 16;

const REMEDY = 'Use 32 random bytes, or 64 hexadecimal digits: openssl rand -hex 32.';

/** @throws InvalidOptionError, which never shows a key */
export function requireKeys(keys: unknown): KeyedCiphers {
  if (typeof keys !== 'object' || keys === null || Array.isArray(keys) || isBytes(keys)) {
    throw new InvalidOptionError('keys', kindOf(keys), 'must be an object of keys by version', REMEDY);
  }
  const bytesByVersion = Object.entries(keys).map(([version, key]): [string, Uint8Array] => [
    requireVersion(version),
    requireKey(`keys.${version}`, key),
  ]);
  if (bytesByVersion.length === 0) throw new InvalidOptionError('keys', '{}', 'has no key', REMEDY);
  refuseRepeated(bytesByVersion);
  return new Map(bytesByVersion.map(([version, bytes]) => [version, new IdCipher(bytes)]));
}

function requireVersion(version: string): string {
  if (/^\d$/.test(version)) return version;
  throw new InvalidOptionError(
    'keys',
    // The version may be the key itself, swapped by mistake.
    version.length > MAX_VERSION_LENGTH ? kindOf(version) : version,
    'has a version that is not a digit',
    'Use versions from 0 to 9.',
  );
}

/** Returns a copy of the bytes of a key, which the caller can't change. */
function requireKey(option: string, key: unknown): Uint8Array {
  const refusal = (problem: string): InvalidOptionError =>
    new InvalidOptionError(option, kindOf(key), problem, REMEDY);
  if (typeof key === 'string' && !HEX_KEY.test(key)) throw refusal('must be 64 hexadecimal digits');
  const bytes = typeof key === 'string' ? bytesOfHex(key) : key;
  if (!isBytes(bytes)) throw refusal('must be a Uint8Array or a string');
  if (bytes.length !== KEY_BYTES) throw refusal(`is not ${KEY_BYTES} bytes long`);
  if (new Set(bytes).size < MIN_DISTINCT_BYTES) throw refusal('repeats its bytes, so it is not random');
  if (bytes.every(isPrintable)) throw refusal('consists of printable characters, so it is not random');
  return Uint8Array.from(bytes);
}

function refuseRepeated(bytesByVersion: readonly [string, Uint8Array][]): void {
  const versionOfKey = new Map<string, string>();
  for (const [version, bytes] of bytesByVersion) {
    const other = versionOfKey.get(bytes.join());
    if (other !== undefined) {
      throw new InvalidOptionError(
        `keys.${version}`,
        kindOf(bytes),
        `is the same as keys.${other}`,
        'Use a separate key for each version.',
      );
    }
    versionOfKey.set(bytes.join(), version);
  }
}

/** Returns a description of a secret that is safe to show in an error. */
export function kindOf(key: unknown): string {
  if (typeof key === 'string') return `a string of ${key.length} characters`;
  if (isBytes(key)) return `${key.length} bytes`;
  return Array.isArray(key) ? 'an array' : key === null ? 'null' : `of type ${typeof key}`;
}

function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte <= 0x7e;
}

function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) => parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}
