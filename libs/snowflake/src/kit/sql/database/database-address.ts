import { type DatabaseOptions, masterOf } from './database-options.js';
import { InvalidOptionError } from '../../../core/errors/input-errors.js';
import { isLoopbackHost } from '../../loopback.js';
import { redact } from '../../../core/errors/show-value.js';

/** Where a driver connects to, as far as the options of a DataSource say so. */
interface Place {
  readonly url?: unknown;
  readonly host?: unknown;
  readonly socketPath?: unknown;
}

const SCHEMES: Readonly<Record<string, string>> = {
  postgres: 'postgres',
  mysql: 'mysql',
  mariadb: 'mariadb',
};
/** Options of the drivers that replace the address, or make the connection themselves. */
const OWN_WAYS = ['host', 'socketPath', 'connectionString', 'uri', 'stream'];

/**
 * Refuses a URL that is missing or that no driver can read. Otherwise the driver would connect to its default address, or
 * fail at each attempt.
 *
 * @throws InvalidOptionError that shows no part of the URL
 */
export function requireAddress(options: DatabaseOptions): void {
  const scheme = Object.hasOwn(SCHEMES, options.type) ? SCHEMES[options.type] : undefined;
  if (scheme === undefined) return;
  const { place, name } = writerOf(options);
  const example = `${scheme}://user:password@host/database`;
  if (isMissing(place.url)) {
    if (!('url' in place) || hasOtherAddress(place, options, scheme)) return;
    throw new InvalidOptionError(
      name,
      place.url,
      'is missing, and so is host',
      `Set the address of the database, e.g. ${example}. Is an environment variable missing?`,
    );
  }
  if (isReadable(place.url, scheme)) return;
  throw new InvalidOptionError(
    name,
    redact(place.url),
    'is not a URL that the driver can read',
    `Write ${example}, and percent-encode the user name and the password.`,
  );
}

/** Returns where TypeORM writes. */
function writerOf(options: DatabaseOptions): { readonly place: Place; readonly name: string } {
  const master = masterOf(options);
  return master
    ? { place: master, name: 'dataSource.replication.master.url' }
    : { place: options, name: 'dataSource.url' };
}

function hasOtherAddress({ host, socketPath }: Place, options: DatabaseOptions, scheme: string): boolean {
  const { extra } = options;
  const inExtra = typeof extra === 'object' && extra !== null && OWN_WAYS.some((way) => way in extra);
  const inEnvironment = scheme === 'postgres' && !isMissing(process.env.PGHOST);
  return !isMissing(host) || !isMissing(socketPath) || inExtra || inEnvironment;
}

function isMissing(text: unknown): boolean {
  return text === undefined || text === null || text === '';
}

/** TypeORM reads a URL first. pg then reads it again, in its own way, and mysql2 takes what TypeORM has read. */
function isReadable(url: unknown, scheme: string): boolean {
  if (typeof url !== 'string') return false;
  const [, base = ''] = /^[a-z][a-z\d+.-]*:\/\/([^/]*)/i.exec(url) ?? [];
  if (!isDecodable(base.slice(0, base.lastIndexOf('@') + 1))) return false;
  return scheme === 'postgres' ? isReadableByPg(url) : url.includes('://') && hasPort(base);
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Also accepts the folder of a Unix socket. A text without a scheme would be the name of a database on a host `base`. A
 * password that is not encoded ends at its `#` or `?`, so the user and the password would be read as host and port.
 */
function isReadableByPg(url: string): boolean {
  if (url.startsWith('/') || url.startsWith('socket:')) return true;
  const form = [url, url.replace('@/', '@host/')].find((each) => URL.canParse(each));
  if (form === undefined || !url.includes('://')) return false;
  const { hash, search } = new URL(form);
  return hash === '' && !/^\?[^=]*@/.test(search);
}

/** A port that is no number is the beginning of a password with a `/`. */
function hasPort(base: string): boolean {
  const [, port = ''] = base.slice(base.lastIndexOf('@') + 1).split(':');
  return port === '' || Number.isInteger(Number.parseInt(port, 10));
}

/** Returns whether a database is a file, or its server runs on this machine, as far as the options show. */
export function isDatabaseOnLoopback(options: DatabaseOptions): boolean {
  if (!Object.hasOwn(SCHEMES, options.type)) return true;
  const { url, host, socketPath } = writerOf(options).place;
  if (typeof url !== 'string' || url === '') return isLoopbackHost(socketPath ?? host);
  if (url.startsWith('/') || url.startsWith('socket:')) return true;
  const form = [url, url.replace('@/', '@localhost/')].find((each) => URL.canParse(each));
  if (form === undefined) return false;
  const { hostname, searchParams } = new URL(form);
  return isLoopbackHost(searchParams.get('host') ?? searchParams.get('socketPath') ?? hostname);
}
