import { randomBytes, randomInt } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const HALF_LENGTH = 12;
const KEY_BYTES = 32;
/** So much of a half is looked for: a text that was cut short counts as well. */
const SHOWN_LENGTH = 8;
/** Everything that URLs, JSON, config files, regular expressions and `inspect` write in another way. */
const AWKWARD = `@:/?#[]%&=+$^.*| "'\\{}é`;

/** A form in which a secret may lie in a text. */
interface Trace {
  readonly form: string;
  readonly text: string;
}

/** A random secret, which no text contains by chance. */
export class Secret {
  constructor(
    readonly name: string,
    readonly text: string,
    private readonly traces: readonly Trace[],
  ) {}

  /** Returns the forms in which `text` contains the secret or a part of it. */
  formsIn(text: string): string[] {
    return [...new Set(this.traces.filter((trace) => text.includes(trace.text)).map(({ form }) => form))];
  }

  /** Returns the text around the first occurrence, to find the leak. */
  surroundingsIn(text: string): string {
    const positions = this.traces.map((trace) => text.indexOf(trace.text)).filter((at) => at >= 0);
    const at = Math.min(...positions);
    return text.slice(Math.max(0, at - 160), at + 80);
  }
}

/** A password with characters that have to be percent-encoded, quoted or escaped. */
export function awkwardPassword(name: string): Secret {
  const [front, back] = [randomText(HALF_LENGTH), randomText(HALF_LENGTH)];
  return new Secret(name, front + AWKWARD + back, [front, back].flatMap(tracesOfText));
}

/** A password of letters and digits. One digit at least is in its middle, because letters alone can be the name of a user. */
export function plainPassword(name: string): Secret {
  const text = randomText(HALF_LENGTH) + randomInt(10) + randomText(HALF_LENGTH);
  return new Secret(name, text, tracesOfText(text));
}

/** A key of 32 bytes, written as 64 hexadecimal digits. */
export function hexKey(name: string): Secret {
  const bytes = randomBytes(KEY_BYTES);
  const text = bytes.toString('hex');
  return new Secret(name, text, [...tracesOfText(text), ...tracesOfBytes(bytes.subarray(0, SHOWN_LENGTH))]);
}

function randomText(length: number): string {
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

/** Of its beginning and of its end: letters and digits survive most ways of writing a text down. */
function tracesOfText(text: string): Trace[] {
  return [text.slice(0, SHOWN_LENGTH), text.slice(-SHOWN_LENGTH)].flatMap((part) => [
    { form: 'text', text: part },
    ...tracesOfBytes(Buffer.from(part)),
  ]);
}

function tracesOfBytes(bytes: Buffer): Trace[] {
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0'));
  return [
    { form: 'hex', text: digits.join('') },
    { form: 'a printed Buffer', text: digits.join(' ') },
    { form: 'a list of bytes', text: [...bytes].join(', ') },
    { form: 'a list of bytes in JSON', text: [...bytes].join(',') },
    ...[0, 1, 2].map((before) => ({ form: 'base64', text: inBase64(bytes, before, 'base64') })),
    ...[0, 1, 2].map((before) => ({ form: 'base64url', text: inBase64(bytes, before, 'base64url') })),
  ];
}

/** What is the same in the base64 of any longer text that has `bytes` behind `before` other ones (modulo 3). */
function inBase64(bytes: Buffer, before: number, alphabet: 'base64' | 'base64url'): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString(alphabet);
  const start = Math.ceil((before * 8) / 6);
  const end = Math.floor(((before + bytes.length) * 8) / 6);
  return whole.slice(start, end);
}
