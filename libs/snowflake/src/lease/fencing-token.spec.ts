import fc from 'fast-check';
import {
  attemptsOf,
  attemptWith,
  clockCorrectionOf,
  fencingTokenOf,
  fromOfFencingToken,
  grantOf,
  isCopied,
  isSameGrant,
  renewedToken,
  withoutCorrection,
} from './fencing-token.js';

const nonces = fc.stringMatching(/^[^@~]{1,40}$/);
const attempts = fc.stringMatching(/^[0-9a-f]{16}$/);
const instants = fc.nat({ max: 999_999_999_999_999 });

describe('a fencing token', () => {
  it('keeps the grant and the start of its window through every renewal', () => {
    fc.assert(
      fc.property(nonces, instants, fc.array(attempts), (nonce, fromMs, renewals) => {
        const granted = fencingTokenOf(nonce, fromMs);
        const last = renewals.reduce((token, attempt) => renewedToken(token, token, attempt), granted);
        expect([grantOf(last), fromOfFencingToken(last)]).toEqual([granted, fromMs]);
        expect(isSameGrant(last, granted)).toBe(true);
        expect(isSameGrant(last, fencingTokenOf(nonce, fromMs + 1))).toBe(false);
      }),
    );
  });

  it('counts its renewals, and names the last attempt', () => {
    const once = renewedToken('ab:web-1@7', 'ab:web-1@7', 'c1');
    expect([once, renewedToken(once, once, 'c2')]).toEqual(['ab:web-1@7~1~c1', 'ab:web-1@7~2~c2']);
  });

  it('stays as it is if the same attempt is executed twice', () => {
    expect(renewedToken('c1:web-1@7', 'c1:web-1@7', 'c1')).toBe('c1:web-1@7');
    const once = renewedToken('ab@7', 'ab@7', 'c1');
    expect(renewedToken(once, 'ab@7', 'c1')).toBe(once);
  });

  it('counts on from the claim if a failover lost renewals', () => {
    expect(renewedToken('ab@7~1~c1', 'ab@7~4~c4', 'c5')).toBe('ab@7~5~c5');
    expect(renewedToken('ab@7', 'ab@7~4~c4', 'c5')).toBe('ab@7~5~c5');
  });

  it.each(['', 'nonce', 'nonce@', 'nonce@x', 'nonce@1 ', 'nonce@1234567890123456', 'nonce~1~a'])(
    'has no start if it is %j',
    (text) => {
      expect(fromOfFencingToken(text)).toBeUndefined();
    },
  );

  it('names attempts by what precedes the name of the holder', () => {
    const given = ['0123456789abcdef:web-1/17', 'abc'];
    expect(given.flatMap((nonce) => attemptsOf({ nonce }))).toEqual(['0123456789abcdef', 'abc']);
  });
});

describe('the clock of the process that wrote a fencing token', () => {
  it('is read from the last renewal, whatever the name of the holder, and nothing of it stays in the next one', () => {
    fc.assert(
      fc.property(
        nonces,
        instants,
        attempts,
        fc.integer({ min: -1e12, max: 1e12 }),
        (nonce, fromMs, attempt, ms) => {
          const wrong = attemptWith(attempt, ms);
          const granted = fencingTokenOf(nonce, fromMs);
          const renewed = renewedToken(granted, granted, wrong);
          const read = [clockCorrectionOf(renewed), withoutCorrection(wrong)];
          expect(read).toEqual([ms === 0 ? undefined : ms, attempt]);
          expect(clockCorrectionOf(renewedToken(renewed, renewed, `${attempt}0`))).toBeUndefined();
        },
      ),
    );
  });

  it.each([
    '',
    'ab:web-1@7',
    'ab:web+5@7',
    'ab@7~1~c1',
    'ab@7~1~c1+',
    'ab@7~1~c1+1234567890123456',
    'ab@7~1~c1+1.5',
  ])('is unknown in %j', (fencingToken) => {
    expect(clockCorrectionOf(fencingToken)).toBeUndefined();
  });
});

describe('a renewal by a copy [promise: unique]', () => {
  const shown = 'ab@7~2~c2';

  it.each<[string, string, readonly string[]]>([
    ['the row is as it was', shown, ['d']],
    ['its own attempt was executed before', 'ab@7~3~d', ['d']],
    ['an earlier attempt was executed, whose reply was lost', 'ab@7~3~c3', ['d', 'c4', 'c3']],
    ['a failover lost renewals', 'ab@7~1~c1', ['d']],
    ['a failover lost all renewals', 'ab@7', ['d']],
  ])('is not suspected if %s', (_, stored, made) => {
    expect(isCopied(stored, shown, made)).toBe(false);
  });

  it.each<[string, string]>([
    ['the row was renewed by an attempt of another process', 'ab@7~3~e'],
    ['the other process is many renewals ahead', 'ab@7~9~e'],
    ['a failover lost the last renewal, and the other process renewed first', 'ab@7~2~e'],
  ])('is seen if %s', (_, stored) => {
    expect(isCopied(stored, shown, ['d', 'c3'])).toBe(true);
  });
});
