import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { redact } from '../../core/errors/show-value.js';
import { parsedServerUrl } from '../../kit/server-url.js';

/** ioredis prefers these to the host, in the options and in the query string of a URL. */
export const PLACES = ['path', 'sentinels'] as const;

/**
 * Returns the address of a Redis server.
 *
 * @param option the option as the user writes it
 * @throws InvalidOptionError if it isn't a `redis://` or `rediss://` URL with a host, or the path of a Unix socket
 */
export function requireRedisUrl(url: unknown, option = 'url'): string {
  if (isRedisUrl(url)) return url;
  const remedy =
    'Write redis://host:6379 or rediss://user:password@host:6379/0 (percent-encode the password).';
  throw new InvalidOptionError(option, redact(url), 'is not a redis:// or rediss:// URL with a host', remedy);
}

export function isRedisUrl(url: unknown): url is string {
  if (typeof url !== 'string' || /\s/.test(url)) return false;
  if (url.startsWith('/')) return true;
  const parsed = parsedServerUrl(url);
  if (parsed === undefined || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === '') return false;
  const { pathname, searchParams } = parsed;
  if (PLACES.some((place) => searchParams.has(place))) return false;
  return /^\/?\d*$/.test(pathname) && /^\d*$/.test(searchParams.get('db') ?? '');
}
