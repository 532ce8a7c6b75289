const REMOVED = '***';
/** A text of somebody else is cut here: what follows helps nobody. */
const LONGEST = 1000;
/** Shorter secrets, and those that are a word, are removed only where they stand alone. */
const TELLING_LENGTH = 4;
const WORD = /^[A-Za-z]+$/;
const SPECIAL = /[.*+?^${}()|[\]\\/-]/g;

/** In a sentence of this library, which also gives examples of URLs. */
const USER_INFO = /\/\/(?!user:password@)\S*@/g;
/** Redis repeats the arguments of a command that it does not know, and AUTH can be one. */
const REPEATED_ARGUMENTS = /(with args beginning with:)\s*\S.*/gs;
/** MySQL's `(using password: YES)` tells only whether there was one. */
const NAMED_SECRET =
  /((?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[-_]?key)\\*["']?\s*[=:]\s*\\*)(?!(?:YES|NO)\))("[^"]*(?:"|$)|'[^']*(?:'|$)|[^&;,\s]+)/gi;

/**
 * Removes secrets from a text that somebody else wrote: those that it is told of, and what looks like one. Holds them so
 * that no way of printing it shows them.
 */
export class Redaction {
  readonly #known: RegExp | undefined;

  /** @param secrets as they are; their usual encodings are removed as well */
  constructor(secrets: Iterable<string> = []) {
    const forms = new Set([...secrets].flatMap(formsOf));
    const longestFirst = [...forms].sort((a, b) => b.length - a.length);
    if (longestFirst.length > 0) this.#known = new RegExp(longestFirst.map(patternOf).join('|'), 'gi');
  }

  /** Returns the text without the secrets that are known. */
  remove(text: string): string {
    return this.#known ? text.replace(this.#known, REMOVED) : text;
  }

  /** Returns the text without known secrets and without what looks like one, cut off after 1,000 characters. */
  clean(text: string): string {
    // Before it is cut: a part of a secret would not be found.
    const cleaned = withoutAnyUserInfo(this.remove(text));
    const short = cleaned.length > LONGEST ? `${cleaned.slice(0, LONGEST)}…` : cleaned;
    return short.replace(REPEATED_ARGUMENTS, `$1 ${REMOVED}`).replace(NAMED_SECRET, `$1${REMOVED}`);
  }
}

/** For texts whose secrets nobody knows. */
export const UNKNOWN_SECRETS = new Redaction();

/** Returns a sentence of this library without user and password of the URLs that were put into it. */
export function withoutUserInfo(text: string): string {
  return text.includes('@') ? text.replace(USER_INFO, `//${REMOVED}@`) : text;
}

/** From the first URL to the last `@`, since people put passwords into URLs with every character. */
function withoutAnyUserInfo(text: string): string {
  const start = text.indexOf('//') + 2;
  const end = text.lastIndexOf('@');
  return start > 1 && end >= start ? `${text.slice(0, start)}${REMOVED}${text.slice(end)}` : text;
}

/** A secret as it is written in JSON, in URLs and in headers. */
function formsOf(secret: string): string[] {
  if (secret === '') return [];
  const bytes = new TextEncoder().encode(secret);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('')).replace(/=+$/, '');
  return [secret, JSON.stringify(secret).slice(1, -1), percentEncoded(secret), base64];
}

function percentEncoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    // Half a surrogate pair has no encoding.
    return secret;
  }
}

/** A password that is a word, such as `redis`, may be a part of other words that have nothing to do with it. */
function patternOf(form: string): string {
  const escaped = form.replaceAll(SPECIAL, '\\$&');
  const standsAlone = form.length < TELLING_LENGTH || WORD.test(form);
  return standsAlone ? `(?<![A-Za-z0-9_])${escaped}(?![A-Za-z0-9_])` : escaped;
}
