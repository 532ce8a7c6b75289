import { InvalidOptionError } from 'nestjs-snowflake/core';
import { redact, REDACTED } from 'nestjs-snowflake/internal/core/errors/show-value';
import {
  checkedBy,
  checkedOptions,
  type OptionRules,
} from 'nestjs-snowflake/internal/core/options/option-rule';
import { areLoopbackHosts } from 'nestjs-snowflake/internal/kit/loopback';
import { parsedServerUrl } from 'nestjs-snowflake/internal/kit/server-url';
import { NAMESPACE } from 'nestjs-snowflake/internal/stores/namespace';
import { SERVER_TLS, type ServerTlsOptions } from '../tls/server-tls.js';

/** Options of `etcdLeaseStore`: a namespace, and `url` or `urls`. */
export interface EtcdLeaseStoreOptions {
  /**
   * Name of the ID space, the same for all processes whose IDs must differ.
   * Bounds: 1 to 128 characters of `A-Z a-z 0-9 _ . : -`.
   */
  readonly namespace: string;

  /**
   * Address of a member, or of a TCP load balancer in front of the members.
   * Bounds: an `http:` or `https:` URL without a path. Percent-encode a password in it.
   *
   * @defaultValue none
   */
  readonly url?: string;

  /**
   * Addresses of the members of one cluster. After a failed call, the next call goes to the next member.
   * Bounds: 1 to 100 URLs, instead of {@link url}.
   *
   * @defaultValue none
   */
  readonly urls?: readonly string[];

  /**
   * The authority of the members' certificates, and this client's certificate.
   * Bounds: `ca`, `cert`, `key`, `pfx`, `passphrase` and `servername`, as in Node's `tls.connect()`.
   *
   * If etcd requires users as well, the client's certificate must have no common name (CN).
   *
   * @defaultValue none
   */
  readonly tls?: ServerTlsOptions;
}

/** One member, and who calls it. */
export interface EtcdAddress {
  /** Without credentials and without a slash at its end. */
  readonly origin: string;
  readonly user?: EtcdUser;
}

export interface EtcdUser {
  readonly name: string;
  readonly password: string;
}

/** Checked {@link EtcdLeaseStoreOptions}. */
export interface EtcdSettings {
  readonly namespace: string;
  /** At least one. */
  readonly addresses: readonly EtcdAddress[];
  readonly tls: ServerTlsOptions | undefined;
}

/** Returns whether all members of the settings run on this machine. */
export function isEtcdOnLoopback({ addresses }: EtcdSettings): boolean {
  return areLoopbackHosts(addresses.map(({ origin }) => new URL(origin).hostname));
}

const MOST_ADDRESSES = 100;
const PROBLEM = 'is not an http: or https: URL with a host, without a path, a query and a fragment';
const REMEDY = 'Write http://etcd-1:2379 or https://user:password@etcd-1:2379 (percent-encode the password).';

const OPTIONS = {
  namespace: NAMESPACE,
  url: checkedBy((option, url) => requireEtcdUrl(url, option)).optional(),
  urls: checkedBy((option, urls) => {
    const isList = Array.isArray(urls) && urls.length > 0 && urls.length <= MOST_ADDRESSES;
    if (isList && urls.every((url) => addressOf(url) !== undefined)) return urls as readonly string[];
    const problem = `is not a list of 1 to ${MOST_ADDRESSES} http: or https: URLs in the form of url`;
    throw new InvalidOptionError(option, redact(urls), problem, REMEDY);
  }).optional(),
  tls: SERVER_TLS.optional(),
} satisfies OptionRules<EtcdLeaseStoreOptions>;

/**
 * Refuses options that cannot work, and fills in the defaults.
 *
 * @throws InvalidOptionError that names the option, its value (unless it may contain a password) and the remedy
 */
export function checkEtcdOptions(options: EtcdLeaseStoreOptions): EtcdSettings {
  const { namespace, url, urls, tls } = checkedOptions('options', options, OPTIONS);
  if ((url === undefined) === (urls === undefined)) {
    const [value, problem] =
      url === undefined ? [undefined, 'is missing'] : [REDACTED, 'is given together with urls'];
    throw new InvalidOptionError('url', value, problem, 'Pass either url or urls.');
  }
  const addresses = [url ?? urls ?? []].flat().flatMap((each) => addressOf(each) ?? []);
  const [secure, other] = [true, false].map((is) =>
    addresses.some(({ origin }) => origin.startsWith('https:') === is),
  );
  if (secure && other) {
    throw new InvalidOptionError(
      'urls',
      REDACTED,
      'mixes http: and https:',
      'Use the same protocol for all members.',
    );
  }
  return { namespace, addresses, tls };
}

/**
 * Returns the address of an etcd member.
 *
 * @param option the option as the user writes it
 * @throws InvalidOptionError if it isn't an `http:` or `https:` URL with a host
 */
export function requireEtcdUrl(url: unknown, option = 'url'): string {
  if (typeof url === 'string' && addressOf(url)) return url;
  throw new InvalidOptionError(option, redact(url), PROBLEM, REMEDY);
}

function addressOf(text: unknown): EtcdAddress | undefined {
  const url = typeof text === 'string' && !/\s/.test(text) ? parsedServerUrl(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined;
  const { origin, username, password, pathname, search, hash } = url;
  if (pathname !== '/' || search !== '' || hash !== '' || (username === '') !== (password === ''))
    return undefined;
  if (username === '') return { origin };
  return { origin, user: { name: decodeURIComponent(username), password: decodeURIComponent(password) } };
}
