import type { Parameters } from './route.js';

/** Returns a text compressed (RFC 1951) and written so that an address can hold it (RFC 4648, base64url). */
export async function compressed(text: string): Promise<string> {
  const bytes = await throughStream(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  let binary = '';
  for (const byte of bytes) binary += String.fromCodePoint(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The reverse of {@link compressed}. @throws Error if the text is damaged or longer than `mostBytes` */
export async function expanded(encoded: string, mostBytes: number): Promise<string> {
  const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.codePointAt(0) ?? 0);
  const text = await throughStream(bytes, new DecompressionStream('deflate-raw'), mostBytes);
  return new TextDecoder().decode(text);
}

async function throughStream(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  mostBytes = Infinity,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of readerOf(new Blob([bytes]).stream().pipeThrough(stream))) {
    length += chunk.length;
    if (length > mostBytes) throw new Error(`The text of the link is longer than ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

/** Reads by a reader, because not every browser can iterate over a stream. */
async function* readerOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** The longest address that browsers open. */
const MOST_PACKED = 200_000;
/** A longer text can't fit even if compressed, so compression isn't tried. */
const MOST_CHARACTERS = 1_000_000;
/** A text that people can read in a link. */
const READABLE = 200;

/** The bound of the text in a link: the longest text in its longest encoding. */
export const MOST_LINK_BYTES = 4 * MOST_CHARACTERS;

/** Returns the parameters that hold a text in a link, or undefined if it is too long for one. */
export async function textParameters(text: string): Promise<Parameters | undefined> {
  if (text === '') return {};
  if (text.length <= READABLE) return { text };
  if (text.length > MOST_CHARACTERS) return undefined;
  const z = await compressed(text);
  return z.length > MOST_PACKED ? undefined : { z };
}

/** The reverse of {@link textParameters}. Returns undefined if they hold no text. @throws Error if the text is damaged */
export async function textOfParameters({ text, z }: Parameters): Promise<string | undefined> {
  return z === undefined ? text : expanded(z, MOST_LINK_BYTES);
}

/** Returns those parameters of an address that hold a text; undefined if it holds none. */
export function textParametersIn(parameters: URLSearchParams): Parameters | undefined {
  const { text, z } = Object.fromEntries(parameters);
  if (z !== undefined) return { z };
  return text === undefined ? undefined : { text };
}
