import { InvalidIdError } from '../errors.js';
import { MAX_ID } from '../id-words.js';
import { codecOf, type IdCodec } from './id-codec.js';

const LENGTH = 8;
const REMEDY = `Pass a Uint8Array or Buffer of ${LENGTH} bytes, the most significant first.`;

/**
 * The 8 bytes of an ID, most significant first, for binary columns, keys and protocols. Preserves order.
 *
 * Writes a `Uint8Array` of its own memory; reads a `Buffer` as well.
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
  if (!isBytes(encoded)) throw new InvalidIdError(encoded, 'is no Uint8Array', REMEDY);
  if (encoded.byteLength !== LENGTH) {
    throw new InvalidIdError(encoded, `has ${encoded.byteLength} bytes`, REMEDY);
  }
  const id = new DataView(encoded.buffer, encoded.byteOffset, LENGTH).getBigUint64(0);
  if (id > MAX_ID) throw new InvalidIdError(encoded, 'is beyond 63 bits', REMEDY);
  return id;
}

/** Whether it is a `Uint8Array`, also one of another realm, such as a worker's or a test runner's. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Reflect.get(value, Symbol.toStringTag) === 'Uint8Array';
}
