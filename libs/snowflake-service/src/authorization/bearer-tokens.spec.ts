import { inspect } from 'node:util';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { bearerTokens, type OpenGrant, type TokenGrant } from './bearer-tokens.js';
import type { ServiceCall } from './service-call.js';

const SHOP = 'the-token-of-the-shop-service';
const BILLING = 'the-token-of-billing-service';
const GRANTS: readonly TokenGrant[] = [
  { token: SHOP, scopes: ['leases', 'read'], names: ['shop'] },
  { token: BILLING, scopes: ['ids'] },
];

const callOf = (token: string | undefined, scope: ServiceCall['scope'], name: string): ServiceCall => ({
  token,
  scope,
  name,
  request: {},
});

describe('bearer tokens [promise: secrets]', () => {
  it.each([
    [SHOP, 'leases', 'shop', true],
    [SHOP, 'read', 'shop', true],
    [SHOP, 'leases', 'billing', false],
    [SHOP, 'ids', 'shop', false],
    [BILLING, 'ids', 'anything', true],
    [BILLING, 'read', 'anything', false],
    [`${SHOP}x`, 'leases', 'shop', undefined],
    ['', 'leases', 'shop', undefined],
    [undefined, 'leases', 'shop', undefined],
  ] as const)('decide on the holder of %s, and %s of %s: %s', (token, scope, name, decision) => {
    expect(bearerTokens(GRANTS)(callOf(token, scope, name))).toBe(decision);
  });

  it('adds up what several grants of one token permit', () => {
    const authorize = bearerTokens([...GRANTS, { token: SHOP, scopes: ['ids'], names: ['audit'] }]);
    expect(authorize(callOf(SHOP, 'ids', 'audit'))).toBe(true);
    expect(authorize(callOf(SHOP, 'ids', 'shop'))).toBe(false);
  });

  it.each([
    [undefined, 'ids', 'default', true],
    [SHOP, 'ids', 'default', true],
    ['an-unknown-token-of-nobody', 'ids', 'default', true],
    [undefined, 'ids', 'audit', undefined],
    ['an-unknown-token-of-nobody', 'ids', 'audit', undefined],
    [undefined, 'read', 'default', undefined],
    [undefined, 'leases', 'shop', undefined],
    [BILLING, 'leases', 'shop', false],
    [SHOP, 'leases', 'shop', true],
  ] as const)('decide on %s, and %s of %s beside a grant for anyone: %s', (token, scope, name, decision) => {
    const open: OpenGrant = { anyone: true, scopes: ['ids'], names: ['default'] };
    expect(bearerTokens([...GRANTS, open])(callOf(token, scope, name))).toBe(decision);
  });

  it('follows a function that returns other tokens later', async () => {
    let grants = GRANTS;
    const authorize = bearerTokens(async () => grants);
    await expect(authorize(callOf(SHOP, 'leases', 'shop'))).resolves.toBe(true);
    grants = [{ token: BILLING, scopes: ['ids'] }];
    await expect(authorize(callOf(SHOP, 'leases', 'shop'))).resolves.toBeUndefined();
  });

  it('show no text of what the function throws, because it can hold a token', async () => {
    const authorize = bearerTokens(() => JSON.parse(`${SHOP} is no JSON`) as TokenGrant[]);
    const failure: unknown = await Promise.resolve(authorize(callOf(SHOP, 'leases', 'shop'))).catch(
      (error: unknown) => error,
    );
    expect((failure as Error).message).toContain('the function grants threw SyntaxError');
    expect(inspect(failure, { depth: 20, showHidden: true })).not.toContain(SHOP.slice(0, 8));
  });

  it.each([
    ['no grants', []],
    ['a token that is short enough to guess', [{ token: 'short', scopes: ['ids'] }]],
    ['an unknown scope', [{ token: SHOP, scopes: ['everything'] }]],
    ['no scopes', [{ token: SHOP, scopes: [] }]],
    ['a grant that names nobody', [{ scopes: ['ids'] }]],
    ['a grant for anyone that has a token', [{ anyone: true, token: SHOP, scopes: ['ids'] }]],
    ['a grant that is not for anyone', [{ anyone: false, scopes: ['ids'] }]],
    ['leases for anyone', [{ anyone: true, scopes: ['leases'] }]],
    ['claims for anyone', [{ anyone: true, scopes: ['ids', 'claims'] }]],
    ['a misspelled list of names', [{ token: SHOP, scopes: ['ids'], name: ['shop'] }]],
    ['names that are no list', [{ token: SHOP, scopes: ['ids'], names: 'shop' }]],
  ])('refuses %s, and shows no token', (_, grants) => {
    const make = (): unknown => bearerTokens(grants as readonly TokenGrant[]);
    expect(make).toThrow(InvalidOptionError);
    expect(make).not.toThrow(/short|the-token/);
  });
});
