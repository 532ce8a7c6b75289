import { Redaction } from '../core/errors/redaction.js';

/** The users that a store may name, and the secrets that it must not show. */
export interface Credentials {
  /** The user of the server, if one is named. */
  readonly user?: string;
  /** The user of the Sentinels, if one is named. */
  readonly sentinelUser?: string;
  /** Knows the passwords and keys. */
  readonly redaction: Redaction;
}

/** For a store without credentials. */
export const NO_CREDENTIALS: Credentials = { redaction: new Redaction() };

const SECRET_NAME = /pass|pwd|secret|token|credential|auth|(^|[a-z_-])key$|pfx|sha1$/i;
/** Not plain options, but objects that reference whole modules. */
const NO_OPTIONS = new Set(['driver', 'nativeDriver', 'entities', 'migrations', 'subscribers', 'logger']);
const DEEPEST = 6;
const MOST_VALUES = 1000;

/**
 * Finds the passwords and keys in the options of a connection, by option name and in URLs.
 *
 * @param sources the options; the first user found is used
 */
export function credentialsIn(...sources: readonly unknown[]): Credentials {
  const search = new Search();
  for (const source of sources) search.look(source, '', false, DEEPEST);
  return search.result();
}

class Search {
  private readonly users: string[] = [];
  private readonly sentinelUsers: string[] = [];
  private readonly secrets = new Set<string>();
  private values = 0;

  look(value: unknown, name: string, isSecret: boolean, depth: number): void {
    this.values += 1;
    if (this.values > MOST_VALUES || depth === 0) return;
    if (typeof value === 'string') this.lookAtText(value, name, isSecret);
    else if (isOptions(value)) this.lookInside(value, isSecret, depth);
  }

  result(): Credentials {
    const [user, sentinelUser] = [this.users[0], this.sentinelUsers[0]];
    // Covers HTTP headers and other places that join the two.
    const joined = [...this.secrets].flatMap((secret) => this.users.map((name) => `${name}:${secret}`));
    const redaction = new Redaction([...this.secrets, ...joined]);
    const shown = (name: string | undefined) => (name && redaction.clean(name) === name ? name : undefined);
    return { user: shown(user), sentinelUser: shown(sentinelUser), redaction };
  }

  private lookInside(options: object, isSecret: boolean, depth: number): void {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(options))) {
      if (NO_OPTIONS.has(name)) continue;
      this.look(value, name, isSecret || SECRET_NAME.test(name), depth - 1);
    }
  }

  private lookAtText(text: string, name: string, isSecret: boolean): void {
    if (text === '') return;
    if (isSecret) this.secrets.add(text);
    else if (name === 'username' || name === 'user') this.users.push(text);
    else if (name === 'sentinelUsername') this.sentinelUsers.push(text);
    else this.lookAtUrl(text);
  }

  /** Parses by hand, because passwords in URLs can contain any character. */
  private lookAtUrl(text: string): void {
    const start = text.indexOf('//') + 2;
    const userInfo = text.slice(start > 1 ? start : 0, Math.max(0, text.lastIndexOf('@')));
    const colon = userInfo.indexOf(':');
    if (colon >= 0) {
      const [user, password] = [userInfo.slice(0, colon), userInfo.slice(colon + 1)];
      if (user !== '') this.users.push(decoded(user));
      for (const form of [password, decoded(password)]) if (form !== '') this.secrets.add(form);
    }
    const query = text.indexOf('?', text.lastIndexOf('@') + 1);
    if (query < 0) return;
    for (const [name, value] of new URLSearchParams(text.slice(query + 1))) {
      if (SECRET_NAME.test(name)) this.secrets.add(value);
    }
  }
}

function isOptions(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
