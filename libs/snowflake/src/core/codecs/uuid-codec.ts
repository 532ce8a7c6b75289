import { InvalidIdError } from '../errors/input-errors.js';
import { requireText } from './encoded-text.js';
import { codecOf, type IdCodec } from './id-codec.js';

/**
 * The 56 bits at the end of every UUID of this codec: the first of SHA-256 of `nestjs-snowflake`. Another maker's
 * UUID of version 8 has them by chance once in 2^56.
 */
const MARK = '56eda78e74889e';
const NODE = MARK.slice(2);

/**
 * The four lowest bits of the ID follow the variant in the ninth byte, `10xx01xx`. The fixed 1 is for MariaDB, which
 * refuses a UUID of version 8 with the ninth byte 0x80.
 */
const PATTERN = `^([0-7][0-9a-f]{7})-([0-9a-f]{4})-8([0-9a-f]{3})-([89ab])([4-7])${MARK.slice(0, 2)}-${NODE}$`;
const FORM = new RegExp(PATTERN, 'i');
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const VARIANT = 8;
const LOWEST = 4;

const REMEDY = 'Pass a UUID from encode(), such as 054ed32f-1241-8100-8656-eda78e74889e.';

/**
 * Returns a codec that writes an ID as a UUID of version 8, for columns and fields that must keep the type `uuid`:
 * `054ed32f-1241-8100-8656-eda78e74889e`.
 *
 * Preserves order, including in a column of type `uuid` on PostgreSQL and MariaDB. The UUID is the ID in another form: it
 * is as easy to guess as the ID. A row of UUIDs takes 16 bytes for the key instead of 8.
 *
 * Reads upper case, too. Refuses every UUID that this codec didn't write.
 *
 * Source: [RFC 9562](https://www.rfc-editor.org/rfc/rfc9562#section-5.8), section 5.8. The first 60 bits outside of
 * version and variant are those of the ID's 64, from the most significant on; then come its last four and a mark.
 */
export function uuidCodec(): IdCodec<string> {
  return codecOf({
    preservesOrder: true,
    pattern: PATTERN.replaceAll(/[()]/g, ''),
    write: uuidOf,
    read: valueOf,
  });
}

function uuidOf(id: bigint): string {
  const hex = id.toString(16).padStart(16, '0');
  const last = Number(id & 15n);
  const ninth = `${(VARIANT + (last >> 2)).toString(16)}${LOWEST + (last & 3)}`;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(12, 15)}-${ninth}${MARK.slice(0, 2)}-${NODE}`;
}

function valueOf(encoded: unknown): bigint {
  const text = requireText(encoded, REMEDY);
  const [, high, middle, low, variant, lowest] = FORM.exec(text) ?? [];
  if (variant === undefined) {
    throw new InvalidIdError(
      text,
      UUID.test(text) ? 'is a UUID that this codec did not write' : 'is not a UUID',
      REMEDY,
    );
  }
  const last = (Number.parseInt(variant, 16) - VARIANT) * 4 + (Number(lowest) - LOWEST);
  return BigInt(`0x${high}${middle}${low}${last.toString(16)}`);
}
