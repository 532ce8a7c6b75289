import { InvalidIdError } from '../errors/input-errors.js';
import { MAX_ID } from '../ids/id-words.js';
import { codecOf, type IdCodec } from './id-codec.js';

const LENGTH = 8;
const REMEDY = `Pass a Uint8Array or Buffer of ${LENGTH} bytes, most significant byte first.`;

/**
 * Returns a codec that writes an ID as 8 bytes, most significant first, for binary columns, keys and protocols.
 * Preserves order.
 *
 * Writes a new `Uint8Array`; reads a `Uint8Array` or `Buffer`.
 */
export function bytesCodec(): IdCodec<Uint8Array> {
  return codecOf({ preservesOrder: true, write: bytesOf, read: valueOf });
}

function bytesOf(id: bigint): Uint8Array {
  const bytes = new Uint8Array(LENGTH);
  new DataView(bytes.buffer).setBigUint64(0, id);
  return bytes;
}

function valueOf(encoded: unknown): bigint {
  if (!isBytes(encoded)) throw new InvalidIdError(encoded, 'is not a Uint8Array', REMEDY);
  if (encoded.byteLength !== LENGTH) {
    throw new InvalidIdError(encoded, `has ${encoded.byteLength} bytes`, REMEDY);
  }
  const id = new DataView(encoded.buffer, encoded.byteOffset, LENGTH).getBigUint64(0);
  if (id > MAX_ID) throw new InvalidIdError(encoded, 'exceeds 63 bits', REMEDY);
  return id;
}

/** Returns whether `value` is a `Uint8Array`, even if it comes from another realm, such as a test runner's. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Reflect.get(value, Symbol.toStringTag) === 'Uint8Array';
}
