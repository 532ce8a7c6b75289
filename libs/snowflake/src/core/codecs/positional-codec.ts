import { InvalidIdError } from '../errors/input-errors.js';
import { MAX_ID } from '../ids/id-words.js';
import type { Alphabet } from './alphabet.js';
import { requireText } from './encoded-text.js';
import { codecOf, type IdCodec } from './id-codec.js';

/** A JavaScript number holds this many digits of any radix up to 62 exactly, and is much faster than a bigint. */
const CHUNK_DIGITS = 8;

/** Writes and reads 63-bit numbers in one radix. */
class Notation {
  /** Number of digits of the largest ID. */
  readonly width: number;
  private readonly chunk: bigint;

  constructor(readonly alphabet: Alphabet) {
    this.chunk = BigInt(alphabet.radix ** CHUNK_DIGITS);
    let width = 1;
    for (let rest = MAX_ID; rest >= BigInt(alphabet.radix); rest /= BigInt(alphabet.radix)) width++;
    this.width = width;
  }

  writePadded(id: bigint): string {
    let text = '';
    for (let rest = id; text.length < this.width; rest /= this.chunk) {
      text = this.chunkText(Number(rest % this.chunk)) + text;
    }
    return text.slice(-this.width);
  }

  writeShort(id: bigint): string {
    const padded = this.writePadded(id);
    let at = 0;
    while (at < padded.length - 1 && padded[at] === this.alphabet.digitOf(0)) at++;
    return padded.slice(at);
  }

  /** Returns the value of `text`, or `undefined` if a character isn't a digit. */
  valueOf(text: string): bigint | undefined {
    const { alphabet } = this;
    let value = 0n;
    let chunk = 0;
    for (let at = 0; at < text.length; at++) {
      const digit = alphabet.valueAt(text, at);
      if (digit === undefined) return undefined;
      chunk = chunk * alphabet.radix + digit;
      if ((text.length - at - 1) % CHUNK_DIGITS === 0) {
        value = value * this.chunk + BigInt(chunk);
        chunk = 0;
      }
    }
    return value;
  }

  private chunkText(value: number): string {
    const { alphabet } = this;
    let text = '';
    for (let rest = value; text.length < CHUNK_DIGITS; rest = Math.floor(rest / alphabet.radix)) {
      text = alphabet.digitOf(rest % alphabet.radix) + text;
    }
    return text;
  }
}

/**
 * Returns a codec that writes IDs as numbers in positional notation.
 *
 * @param padded whether all strings are padded with zeros to the length of the longest
 */
export function positionalCodec(alphabet: Alphabet, padded: boolean): IdCodec<string> {
  const notation = new Notation(alphabet);
  const { width } = notation;
  const length = padded ? `${width}` : `1 to ${width}`;
  const remedy = `Pass a string from encode(): ${length} of the characters ${alphabet.digits}.`;
  const problemOfLength = (text: string): string | undefined => {
    if (text.length === 0) return 'is empty';
    if (text.length > width) return 'is too long';
    if (padded && text.length < width) return 'is too short';
    return undefined;
  };
  const read = (encoded: unknown): bigint => {
    const text = requireText(encoded, remedy);
    const refused = (problem: string): InvalidIdError => new InvalidIdError(text, problem, remedy);
    const wrongLength = problemOfLength(text);
    if (wrongLength !== undefined) throw refused(wrongLength);
    const value = notation.valueOf(text);
    if (value === undefined) throw refused("contains a character that this codec can't read");
    if (value > MAX_ID) throw refused('exceeds 63 bits');
    if (!padded && text.length > 1 && alphabet.valueAt(text, 0) === 0) throw refused('has a leading zero');
    return value;
  };
  const write = (id: bigint): string => (padded ? notation.writePadded(id) : notation.writeShort(id));
  const pattern = `^[${alphabet.digits}]{${padded ? width : `1,${width}`}}$`;
  return codecOf({ preservesOrder: padded, pattern, write, read });
}
