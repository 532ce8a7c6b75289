import { Redaction } from '../core/errors/redaction.js';

/** The users that a store may name, and the secrets that it must not show. */
export interface Credentials {
  /** The user of the server, if a separate option names one. In a URL, a password can stand in its place. */
  readonly user?: string;
  /** The user of the Sentinels, if one is named. */
  readonly sentinelUser?: string;
  /** Knows the passwords and keys, and what stands in the place of the user of a URL but can be a password. */
  readonly redaction: Redaction;
}

/** The credentials of a store that has none. */
export const NO_CREDENTIALS: Credentials = { redaction: new Redaction() };

const SECRET_NAME = /pass|pwd|secret|token|credential|auth|(^|[a-z_-])key$|pfx|sha1$/i;
/** These are no plain options, but objects that reference whole modules. */
const NO_OPTIONS = new Set(['driver', 'nativeDriver', 'entities', 'migrations', 'subscribers', 'logger']);
const DEEPEST = 6;
const MOST_VALUES = 1000;
const USER_NAMES = new Set(['username', 'user']);
/** Passwords mostly have more digits, or other characters. */
const LOOKS_LIKE_A_USER = /^[a-z_][a-z_.-]{0,62}\d{0,2}$/i;
/** Accounts that servers and their images begin with. */
const KNOWN_ACCOUNTS = new Set(['postgres', 'root', 'mysql', 'mariadb', 'default']);
/** Servers that repeat the name of a user cut it to one of these lengths. */
const CUT_LENGTHS = [32, 63, 80, 128] as const;
const URL_START = /^[a-z][a-z\d+.-]*:\/\//i;
/** Where a parser splits a user and a password that are not percent-encoded, and takes a part for the host or the path. */
const RAW_DELIMITER = /[/?#@]/;
const DELIMITER = /[/?#@:]/;
const SHORTEST_PART = 3;

/**
 * Finds the passwords and keys in the options of a connection, by option name and in URLs.
 *
 * @param sources the options; the first user found is used
 */
export function credentialsIn(...sources: readonly unknown[]): Credentials {
  return new Search(false).in(sources);
}

/**
 * Finds the same in the options of a client of the app, which can come from a URL, so that no user is named.
 *
 * @param sources the options of the client, and others
 */
export function credentialsOfClient(...sources: readonly unknown[]): Credentials {
  return new Search(true).in(sources);
}

interface User {
  readonly name: string;
  readonly isOption: boolean;
}

class Search {
  private readonly users: User[] = [];
  private readonly sentinelUsers: string[] = [];
  private readonly secrets = new Set<string>();
  private values = 0;

  /** @param isParsed whether the names of users in the options can come from a URL */
  constructor(private readonly isParsed: boolean) {}

  in(sources: readonly unknown[]): Credentials {
    for (const source of sources) this.look(source, '', false, DEEPEST);
    return this.result();
  }

  private look(value: unknown, name: string, isSecret: boolean, depth: number): void {
    this.values += 1;
    if (this.values > MOST_VALUES || depth === 0) return;
    if (typeof value === 'string') this.lookAtText(value, name, isSecret);
    else if (isOptions(value)) this.lookInside(value, isSecret, depth);
  }

  private result(): Credentials {
    const [user] = this.users;
    // Covers HTTP headers and other places that join the two.
    const joined = [...this.secrets].flatMap((secret) => this.users.map(({ name }) => `${name}:${secret}`));
    const redaction = new Redaction([...this.secrets, ...joined]);
    const shown = (name: string | undefined) => (name && redaction.clean(name) === name ? name : undefined);
    return {
      user: user?.isOption ? shown(user.name) : undefined,
      sentinelUser: shown(this.sentinelUsers[0]),
      redaction,
    };
  }

  private lookInside(options: object, isSecret: boolean, depth: number): void {
    const properties = Object.getOwnPropertyDescriptors(options) as Record<string, PropertyDescriptor>;
    if (this.isParsed) this.takeUserOfUrl(properties.username?.value, properties.password?.value);
    for (const [name, { value }] of Object.entries(properties)) {
      if (NO_OPTIONS.has(name)) continue;
      this.look(value, name, isSecret || SECRET_NAME.test(name), depth - 1);
    }
  }

  private lookAtText(text: string, name: string, isSecret: boolean): void {
    if (text === '') return;
    if (isSecret) this.secrets.add(text);
    else if (USER_NAMES.has(name)) this.users.push({ name: text, isOption: !this.isParsed });
    else if (name === 'sentinelUsername') this.sentinelUsers.push(text);
    else this.lookAtUrl(text);
  }

  /** Parses by hand, because passwords in URLs can contain any character. */
  private lookAtUrl(text: string): void {
    const slashes = text.indexOf('//');
    const userInfo = text.slice(slashes < 0 ? 0 : slashes + 2, Math.max(0, text.lastIndexOf('@')));
    const colon = userInfo.indexOf(':');
    if (colon >= 0) {
      const password = userInfo.slice(colon + 1);
      for (const form of [password, decoded(password)]) if (form !== '') this.secrets.add(form);
      this.takeUserOfUrl(userInfo.slice(0, colon), password);
    } else if (slashes < 0 ? !/[/\s]/.test(userInfo) : !userInfo.startsWith('/')) {
      this.takeUserOfUrl(userInfo, '');
    }
    if (URL_START.test(text) && RAW_DELIMITER.test(userInfo)) this.takeParts(userInfo);
    this.lookAtQuery(text.slice(text.lastIndexOf('@') + 1));
  }

  /** Takes what is in the place of a user for a secret if no password follows it, or if it doesn't look like a user. */
  private takeUserOfUrl(user: unknown, password: unknown): void {
    if (typeof user !== 'string' || user === '') return;
    const name = decoded(user);
    this.users.push({ name, isOption: false });
    if (KNOWN_ACCOUNTS.has(name) || (password && LOOKS_LIKE_A_USER.test(name))) return;
    for (const form of [user, name, ...CUT_LENGTHS.map((length) => name.slice(0, length))])
      this.secrets.add(form);
  }

  private takeParts(userInfo: string): void {
    for (const part of userInfo.split(DELIMITER)) if (part.length >= SHORTEST_PART) this.secrets.add(part);
  }

  private lookAtQuery(rest: string): void {
    const query = rest.indexOf('?');
    if (query < 0) return;
    const parameters = new URLSearchParams(rest.slice(query + 1));
    for (const [name, value] of parameters) {
      if (SECRET_NAME.test(name)) this.secrets.add(value);
      else if (USER_NAMES.has(name)) this.takeUserOfUrl(value, parameters.get('password'));
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
