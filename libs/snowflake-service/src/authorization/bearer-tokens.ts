import { hash, timingSafeEqual } from 'node:crypto';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { REDACTED } from 'nestjs-snowflake/internal/core/errors/show-value';
import { requireOptions } from 'nestjs-snowflake/internal/core/options/option-checks';
import { askApp } from 'nestjs-snowflake/internal/kit/ask-app';
import type { ServiceAuthorization, ServiceCall, ServiceScope } from './service-call.js';

/** What the holder of a token may do. */
export interface TokenGrant {
  /** The token: at least 16 visible ASCII characters. */
  readonly token: string;
  readonly scopes: readonly ServiceScope[];
  /**
   * The namespaces, tags and instances for which the grant is valid.
   *
   * @defaultValue all
   */
  readonly names?: readonly string[];
}

/** What every call may do, with or without a token: for clients that can't send one, in a network that others can't reach. */
export interface OpenGrant extends Pick<TokenGrant, 'names'> {
  readonly anyone: true;
  /** Bounds: `ids`, `segments` and `read`. The other scopes need a token. */
  readonly scopes: readonly ('ids' | 'segments' | 'read')[];
}

const SCOPES: readonly string[] = [
  'ids',
  'segments',
  'leases',
  'claims',
  'read',
] satisfies readonly ServiceScope[];
/** Those by which a client can make the numbers of others repeat. */
const NEVER_OPEN: readonly string[] = ['leases', 'claims'] satisfies readonly ServiceScope[];
/** Shorter ones can be guessed. */
const TOKEN = /^[\x21-\x7e]{16,4096}$/;

/**
 * Returns an `authorize` function that admits calls with one of these tokens, and no call without a token unless a grant has
 * `anyone: true`. Checking a wrong token takes as long as checking a right one.
 *
 * @param grants the tokens, or a function that returns them. The function runs at each call, so tokens can change while the app runs.
 * @throws InvalidOptionError if a grant is invalid. If `grants` is a function, each call throws it instead. If the function throws, calls
 * fail with status 500, and the log has the name and the code of its error, but not the text, which can hold a secret.
 * @example
 * ```ts
 * bearerTokens([{ token: config.getOrThrow('SHOP_TOKEN'), scopes: ['leases', 'read'], names: ['shop'] }])
 * ```
 */
export function bearerTokens(
  grants:
    | readonly (TokenGrant | OpenGrant)[]
    | (() => readonly (TokenGrant | OpenGrant)[] | Promise<readonly (TokenGrant | OpenGrant)[]>),
): ServiceAuthorization {
  if (typeof grants !== 'function') {
    const checked = checkedGrants(grants);
    return (call) => decisionOn(call, checked);
  }
  return async (call) => decisionOn(call, checkedGrants(await askApp('grants', grants)));
}

interface CheckedGrant extends Pick<TokenGrant, 'scopes' | 'names'> {
  /** Of the token; `undefined` if anyone has the grant. */
  readonly digest: Buffer | undefined;
}

/** Returns `undefined` if nobody has the token. */
function decisionOn(
  { token, scope, name }: ServiceCall,
  grants: readonly CheckedGrant[],
): boolean | undefined {
  const digest = token === undefined ? undefined : digestOf(token);
  // Compares with all of them, so that the time doesn't tell how many there are before the right one.
  const held = grants.filter((grant) => isHeld(grant, digest));
  if (held.some(({ scopes, names }) => scopes.includes(scope) && (names?.includes(name) ?? true)))
    return true;
  return held.every(isOpen) ? undefined : false;
}

function isOpen({ digest }: CheckedGrant): boolean {
  return digest === undefined;
}

function isHeld(grant: CheckedGrant, digest: Buffer | undefined): boolean {
  if (grant.digest === undefined) return true;
  return digest !== undefined && timingSafeEqual(grant.digest, digest);
}

/** Gives all tokens one length, which a comparison in constant time needs. */
function digestOf(token: string): Buffer {
  return Buffer.from(hash('sha256', token));
}

const FIELDS = { token: true, anyone: true, scopes: true, names: true } satisfies Record<
  keyof TokenGrant | keyof OpenGrant,
  true
>;
const REMEDY = "Pass e.g. [{ token, scopes: ['leases'], names: ['shop'] }].";

function checkedGrants(grants: readonly (TokenGrant | OpenGrant)[]): readonly CheckedGrant[] {
  if (!Array.isArray(grants) || grants.length === 0)
    throw new InvalidOptionError('grants', typeof grants, 'is not a list with at least one grant', REMEDY);
  return grants.map((grant: TokenGrant | OpenGrant, at) => checkedGrant(`grants[${at}]`, grant));
}

function checkedGrant(option: string, grant: TokenGrant | OpenGrant): CheckedGrant {
  // A misspelled `names` would permit all names.
  requireOptions(option, grant, FIELDS);
  const { scopes, names, ...holder } = grant;
  const digest = checkedHolder(option, holder);
  const known = digest ? SCOPES : SCOPES.filter((scope) => !NEVER_OPEN.includes(scope));
  if (!Array.isArray(scopes) || scopes.length === 0 || !scopes.every((scope) => known.includes(scope)))
    throw new InvalidOptionError(`${option}.scopes`, scopes, `is not a list of ${known.join(', ')}`, REMEDY);
  if (names !== undefined && !(Array.isArray(names) && names.every((name) => typeof name === 'string')))
    throw new InvalidOptionError(`${option}.names`, names, 'is not a list of names', REMEDY);
  return { scopes, names, digest };
}

/** Returns the digest of the token; `undefined` if the grant says that it is for anyone. */
function checkedHolder(option: string, holder: object): Buffer | undefined {
  const { token, anyone } = holder as { token?: unknown; anyone?: unknown };
  if (anyone === true && token === undefined) return undefined;
  if (anyone !== undefined) {
    const problem = token === undefined ? 'is not true' : 'conflicts with token';
    throw new InvalidOptionError(`${option}.anyone`, anyone, problem, 'Pass either token or anyone: true.');
  }
  if (typeof token === 'string' && TOKEN.test(token)) return digestOf(token);
  const problem = 'is not a string of 16 to 4,096 visible ASCII characters';
  const shown = token === undefined ? undefined : REDACTED;
  throw new InvalidOptionError(
    `${option}.token`,
    shown,
    problem,
    'Generate one with: openssl rand -base64 32',
  );
}
