import { createHash, timingSafeEqual } from 'node:crypto';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { REDACTED, requireObject } from 'nestjs-snowflake/kit';
import type { ServiceAuthorization, ServiceCall, ServiceScope } from './service-call.js';

/** What the holder of a token may do. */
export interface TokenGrant {
  /** The token: at least 16 visible ASCII characters. */
  readonly token: string;
  readonly scopes: readonly ServiceScope[];
  /**
   * The namespaces, tags and instances for which the token is valid.
   *
   * @defaultValue all
   */
  readonly names?: readonly string[];
}

const SCOPES: readonly string[] = [
  'ids',
  'segments',
  'leases',
  'claims',
  'read',
] satisfies readonly ServiceScope[];
/** Shorter ones can be guessed. */
const TOKEN = /^[\x21-\x7e]{16,4096}$/;

/**
 * Returns an `authorize` function that admits calls with one of these tokens. Checking a wrong token takes as long as checking
 * a right one.
 *
 * @param grants the tokens, or a function that returns them. The function runs at each call, so tokens can change while the app runs.
 * @throws InvalidOptionError if a grant is invalid. If `grants` is a function, each call throws it instead.
 * @example
 * ```ts
 * bearerTokens([{ token: config.getOrThrow('SHOP_TOKEN'), scopes: ['leases', 'read'], names: ['shop'] }])
 * ```
 */
export function bearerTokens(
  grants: readonly TokenGrant[] | (() => readonly TokenGrant[] | Promise<readonly TokenGrant[]>),
): ServiceAuthorization {
  if (typeof grants !== 'function') {
    const checked = checkedGrants(grants);
    return (call) => admits(checked, call);
  }
  return async (call) => admits(checkedGrants(await grants()), call);
}

interface CheckedGrant extends TokenGrant {
  readonly digest: Buffer;
}

function admits(grants: readonly CheckedGrant[], { token, scope, name }: ServiceCall): boolean {
  if (token === undefined) return false;
  const digest = digestOf(token);
  // Compares with all of them, so that the time doesn't tell how many there are before the right one.
  const held = grants.filter((grant) => timingSafeEqual(grant.digest, digest));
  return held.some(({ scopes, names }) => scopes.includes(scope) && (names?.includes(name) ?? true));
}

/** Gives all tokens one length, which a comparison in constant time needs. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function checkedGrants(grants: readonly TokenGrant[]): readonly CheckedGrant[] {
  const remedy = "Pass e.g. [{ token, scopes: ['leases'], names: ['shop'] }].";
  if (!Array.isArray(grants) || grants.length === 0)
    throw new InvalidOptionError('grants', typeof grants, 'is no list with at least one grant', remedy);
  return grants.map((grant: TokenGrant, at) => checkedGrant(`grants[${at}]`, grant, remedy));
}

function checkedGrant(option: string, grant: TokenGrant, remedy: string): CheckedGrant {
  const { token, scopes, names } = requireObject(option, grant, remedy) as TokenGrant;
  if (typeof token !== 'string' || !TOKEN.test(token)) {
    const problem = 'is no string of 16 to 4,096 visible ASCII characters';
    const shown = token === undefined ? undefined : REDACTED;
    throw new InvalidOptionError(`${option}.token`, shown, problem, 'Make one with: openssl rand -base64 32');
  }
  if (!Array.isArray(scopes) || scopes.length === 0 || !scopes.every((scope) => SCOPES.includes(scope)))
    throw new InvalidOptionError(`${option}.scopes`, scopes, `is no list of ${SCOPES.join(', ')}`, remedy);
  if (names !== undefined && !(Array.isArray(names) && names.every((name) => typeof name === 'string')))
    throw new InvalidOptionError(`${option}.names`, names, 'is no list of names', remedy);
  return { token, scopes, names, digest: digestOf(token) };
}
