const REMOVED = '***';
/** Foreign text is cut after this many characters. */
const LONGEST = 1000;
/** Shorter secrets, and those that consist of letters only, are removed only as whole words. */
const TELLING_LENGTH = 4;
const WORD = /^[A-Za-z]+$/;
const SPECIAL = /[.*+?^${}()|[\]\\/-]/g;

/**
 * Where the user and the password of a URL can begin. The address of a module has none, but a scope:
 * `file:///app/node_modules/@nestjs/core`.
 */
const AUTHORITY = /(?<!\bfile:(?=\/\/\/)|\bfile:\/|\bwebpack(?:-internal)?:\/?)\/\//;
/** User and password of a URL in a message of this library, but not those of its example URLs. */
const USER_INFO = new RegExp(`${AUTHORITY.source}(?!user:password@)\\S*@`, 'g');
/** Redis repeats the arguments of an unknown command, which can be AUTH. */
const REPEATED_ARGUMENTS = /(with args beginning with:)\s*\S.*/gs;
/** Keeps MySQL's `(using password: YES)`, which only says whether a password was sent. */
const NAMED_SECRET =
  /((?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[-_]?key)\\*["']?\s*[=:]\s*\\*)(?!(?:YES|NO)\))("[^"]*(?:"|$)|'[^']*(?:'|$)|[^&;,\s]+)/gi;

/**
 * Removes secrets from foreign text: the known ones, and anything that looks like one. Keeps the known ones in a
 * private field, so that logging this object doesn't reveal them.
 */
export class Redaction {
  readonly #known: RegExp | undefined;

  /** @param secrets in plain text; their usual encodings are removed as well */
  constructor(secrets: Iterable<string> = []) {
    const forms = new Set([...secrets].flatMap(formsOf));
    const longestFirst = [...forms].sort((a, b) => b.length - a.length);
    if (longestFirst.length > 0) this.#known = new RegExp(longestFirst.map(patternOf).join('|'), 'gi');
  }

  /** Returns the text without the known secrets. */
  remove(text: string): string {
    return this.#known ? text.replace(this.#known, REMOVED) : text;
  }

  /** Returns the text without known secrets and anything that looks like one, cut after 1,000 characters. */
  clean(text: string): string {
    // Secrets go before the cut, because a part of one would not be found.
    const cleaned = withoutAnyUserInfo(this.remove(text));
    const short = cleaned.length > LONGEST ? `${cleaned.slice(0, LONGEST)}…` : cleaned;
    return short.replace(REPEATED_ARGUMENTS, `$1 ${REMOVED}`).replace(NAMED_SECRET, `$1${REMOVED}`);
  }
}

/** For text whose secrets are unknown. */
export const UNKNOWN_SECRETS = new Redaction();

/** Returns a message of this library without the users and passwords of URLs in it. */
export function withoutUserInfo(text: string): string {
  return text.includes('@') ? text.replace(USER_INFO, `//${REMOVED}@`) : text;
}

/** Removes everything from the first URL to the last `@`, because unescaped passwords contain any character. */
function withoutAnyUserInfo(text: string): string {
  const start = text.search(AUTHORITY) + 2;
  const end = text.lastIndexOf('@');
  return start > 1 && end >= start ? `${text.slice(0, start)}${REMOVED}${text.slice(end)}` : text;
}

/** Returns a secret as it appears in plain text, in JSON, in URLs and in headers. */
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
    // A lone surrogate has no encoding.
    return secret;
  }
}

/** Matches a password that is a word, such as `redis`, only as a whole word, because other words can contain it. */
function patternOf(form: string): string {
  const escaped = form.replaceAll(SPECIAL, '\\$&');
  const standsAlone = form.length < TELLING_LENGTH || WORD.test(form);
  return standsAlone ? `(?<![A-Za-z0-9_])${escaped}(?![A-Za-z0-9_])` : escaped;
}
