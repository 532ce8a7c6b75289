import { InvalidOptionError } from '../../core/errors/input-errors.js';
import {
  checkedBy,
  checkedOptions,
  secretFitting,
  type OptionRules,
} from '../../core/options/option-rule.js';
import { redact } from '../../core/errors/show-value.js';
import { parsedServerUrl } from '../../kit/server-url.js';
import { NAMESPACE_IN_PATH } from '../namespace.js';

/** Where a service is, and how to call it: `url` or `urls`. */
export interface RemoteServiceOptions {
  /**
   * Address of the service, e.g. `https://ids.example.com`, with the service's `path` if it has one.
   * Bounds: an `http:` or `https:` URL without a user, a query or a fragment.
   *
   * @defaultValue none
   */
  readonly url?: string;
  /**
   * Addresses of several services with the same store. After a failed call, the next call goes to the next address.
   * Bounds: 1 to 100 URLs, instead of {@link url}.
   *
   * @defaultValue none
   */
  readonly urls?: readonly string[];
  /**
   * The bearer token, or a function that returns it. The function runs before each call, so the token can change.
   *
   * @defaultValue none
   */
  readonly token?: string | (() => string | Promise<string>);
}

/** Options of {@link remoteLeaseStore}: a namespace, and `url` or `urls`. */
export interface RemoteLeaseStoreOptions extends RemoteServiceOptions {
  /**
   * Name of the ID space: the key of its store in the service's option `leases`.
   * Bounds: 1 to 128 characters of `A-Z a-z 0-9 _ . : -`, and neither `.` nor `..`.
   */
  readonly namespace: string;
}

/** Checked {@link RemoteLeaseStoreOptions}, or those of another store. */
export interface RemoteSettings {
  readonly namespace: string;
  /** At least one, without a slash at its end. */
  readonly addresses: readonly string[];
  readonly token: () => string | Promise<string> | undefined;
}

const MOST_ADDRESSES = 100;
/** What a header can hold: visible ASCII. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/;
const ADDRESS_PROBLEM = 'is not an http: or https: URL without a user, a query and a fragment';
const ADDRESS_REMEDY = "Pass e.g. 'https://ids.example.com', and the token in the option token.";

/** Whether a header can hold this token. */
export const isTokenText = (value: unknown): value is string =>
  typeof value === 'string' && TOKEN.test(value);

const isToken = (value: unknown): value is NonNullable<RemoteServiceOptions['token']> =>
  typeof value === 'function' || isTokenText(value);

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && addressOf(value) !== undefined;

const OPTIONS = {
  namespace: NAMESPACE_IN_PATH,
  url: secretFitting(isAddress, ADDRESS_PROBLEM, ADDRESS_REMEDY).optional(),
  urls: secretFitting(
    (value): value is readonly string[] =>
      Array.isArray(value) && value.length > 0 && value.length <= MOST_ADDRESSES && value.every(isAddress),
    `is not a list of 1 to ${MOST_ADDRESSES} URLs in the form of url`,
    ADDRESS_REMEDY,
  ).optional(),
  token: checkedBy((option, value = undefined) => {
    if (value === undefined || isToken(value)) return value;
    const problem = 'is neither a function nor a token of 1 to 4,096 visible ASCII characters';
    throw new InvalidOptionError(option, redact(value), problem, 'Pass the token without "Bearer ".');
  }),
} satisfies OptionRules<RemoteLeaseStoreOptions>;

/** Checks the options. @throws InvalidOptionError, which shows no token */
export function checkRemoteOptions(
  options: RemoteServiceOptions & { readonly namespace: string },
): RemoteSettings {
  const { namespace, url, urls, token } = checkedOptions('options', options, OPTIONS);
  if ((url === undefined) === (urls === undefined)) {
    const problem = url === undefined ? 'is missing' : 'is given together with urls';
    throw new InvalidOptionError('url', url, problem, 'Pass either url or urls.');
  }
  const addresses = [url ?? urls ?? []].flat().map((each) => addressOf(each) ?? each);
  return { namespace, addresses, token: typeof token === 'function' ? token : () => token };
}

function addressOf(text: string): string | undefined {
  const url = parsedServerUrl(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    return undefined;
  return url.href.replace(/\/+$/, '');
}
