import fc from 'fast-check';
import {
  fencingTokenOf,
  fromOfFencingToken,
  readRow,
  readSnapshot,
  readWholeNumber,
  writeRow,
} from './registry-format.js';

const ms = fc.nat(999_999_999_999_999);

describe('rows and fencing tokens', () => {
  it('reads fencing tokens as they were written', () => {
    fc.assert(
      fc.property(ms, fc.string(), (reservedUntilMs, fencingToken) => {
        expect(readRow(writeRow({ reservedUntilMs, fencingToken }))).toEqual({
          reservedUntilMs,
          fencingToken,
        });
      }),
    );
    fc.assert(
      fc.property(fc.string(), ms, (nonce, fromMs) => {
        expect(fromOfFencingToken(fencingTokenOf(nonce, fromMs))).toBe(fromMs);
      }),
    );
  });

  it.each(['', ' ', '12', 'x a', '-1 a', '1.5 a', '1e3 a', '1234567890123456 a'])(
    'refuses %j as a row',
    (row) => {
      expect(readRow(row)).toBeUndefined();
    },
  );

  it.each(['', 'nonce', 'nonce@', 'nonce@x', 'nonce@1 ', 'nonce@1234567890123456'])(
    'refuses %j as a fencing token',
    (text) => {
      expect(fromOfFencingToken(text)).toBeUndefined();
    },
  );

  it.each([undefined, '', '-1', '1.5', '1e3', ' 1', '1234567890123456'])(
    'refuses %j as a whole number',
    (text) => {
      expect(readWholeNumber(text)).toBeUndefined();
    },
  );
});

describe('readSnapshot', () => {
  const fields = {
    layout: 'l',
    historyId: 'r',
    grantsAfter: '5',
    grantsAfterReason: 'empty',
    window: '60',
    maxSkew: '3',
    fresh: '12',
    10: '9 b@5',
    2: '7 ',
    later: 'a field of a later release',
  };

  it('shows everything that is stored, in order of worker ID', () => {
    expect(readSnapshot(new Map(Object.entries(fields)), 8)).toEqual({
      storeNowMs: 8,
      layout: 'l',
      historyId: 'r',
      grantsAfterMs: 5,
      longestWindowMs: 60,
      longestMaxSkewMs: 3,
      freshWorkerId: 12,
      rows: [
        { workerId: 2, reservedUntilMs: 7, fencingToken: '' },
        { workerId: 10, reservedUntilMs: 9, fencingToken: 'b@5' },
      ],
    });
  });

  it('reads nothing as a snapshot without rows and header', () => {
    expect(readSnapshot(new Map(), 8)).toEqual({ storeNowMs: 8, rows: [] });
  });

  it.each([
    ['grantsAfter', 'x'],
    ['fresh', ''],
    ['window', '-1'],
    ['maxSkew', '3.5'],
    ['2', 'x'],
  ])('shows the rest if a field is unreadable, and names that: %s = %j', (field, stored) => {
    const { rows, unreadable, ...header } = readSnapshot(
      new Map(Object.entries({ ...fields, [field]: stored })),
      8,
    );
    expect(unreadable).toEqual([{ field, stored }]);
    expect(rows.map(({ workerId }) => workerId)).toEqual(field === '2' ? [10] : [2, 10]);
    expect(header).toMatchObject({ layout: 'l', historyId: 'r' });
  });
});
