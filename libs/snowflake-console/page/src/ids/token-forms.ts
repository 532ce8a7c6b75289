import { base32Codec, base36Codec, base62Codec } from 'nestjs-snowflake/core';

/** A form of IDs that ordinary words can have by chance, so it counts only if the text contains nothing else. */
export interface TokenForm {
  readonly pattern: RegExp;
  /** Returns the decimal ID, or undefined if the text has the form and is none. */
  readonly read: (text: string) => string | undefined;
}

const LETTER = /[a-z]/i;
/** The punctuation around the items of a list. */
const AROUND = /^[\s"'`[(,;]+|[\s"'`\]),;]+$/g;
/** The first lines show whether a text is a list of IDs or of words. */
const PROVED = 20;

const [base32, base36, base62] = [base32Codec(), base36Codec(), base62Codec()];

/** As the codecs write them: base32 in capitals, base36 in small letters. */
const FORMS: readonly (TokenForm & { readonly hasLetters: boolean })[] = [
  { pattern: /^[01]{64}$/, read: (text) => String(BigInt(`0b${text}`)), hasLetters: false },
  { pattern: /^[0-9a-f]{16}$/i, read: (text) => String(BigInt(`0x${text}`)), hasLetters: true },
  { pattern: /^[0-9A-HJKMNP-TV-Z]{13}$/, read: decodedBy(base32), hasLetters: true },
  { pattern: /^[0-9a-z]{13}$/, read: decodedBy(base36), hasLetters: true },
  { pattern: /^[0-9A-Za-z]{11}$/, read: decodedBy(base62), hasLetters: true },
];

/** Returns a line without its quotes and commas. */
export function tokenOf(line: string): string {
  return line.replace(AROUND, '');
}

/** Returns the form that all lines have, each one word. A list of nothing but digits is one of decimal numbers. */
export function formOfLines(lines: readonly string[]): TokenForm | undefined {
  const first = tokenOf(lines.find((line) => line.trim() !== '') ?? '');
  const possible = FORMS.filter(({ pattern }) => pattern.test(first));
  if (possible.length === 0) return undefined;
  const tokens = lines.map(tokenOf).filter((token) => token !== '');
  return possible.find(
    ({ pattern, read, hasLetters }) =>
      tokens.every((token) => pattern.test(token)) &&
      (!hasLetters || tokens.some((token) => LETTER.test(token))) &&
      tokens.slice(0, PROVED).every((token) => read(token) !== undefined),
  );
}

function decodedBy(codec: { readonly decode: (text: string) => string }): TokenForm['read'] {
  return (text) => {
    try {
      return codec.decode(text);
    } catch {
      return undefined;
    }
  };
}
