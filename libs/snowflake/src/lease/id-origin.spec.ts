import { BitLayout } from '../core/layout/bit-layout.js';
import { idOrigin } from './id-origin.js';
import { hasLayout, namespaceFingerprint } from './namespace-fingerprint.js';

describe('the origin of an ID', () => {
  const held = { windowFromMs: 1000, reservedUntilMs: 2000 };
  const released = { reservedUntilMs: 2000 };
  const imports = { claimedUntilMs: 1000, reservedUntilMs: 999_999_999_999_999 };
  const fixed = { windowFromMs: 1000, reservedUntilMs: Number.MAX_SAFE_INTEGER };

  it.each([
    ['within the window of the holder', held, 1001, 0, 'holder'],
    ['at the end of the window', held, 2000, 0, 'holder'],
    ['at the end of the window before', held, 1000, 0, 'former'],
    ['after the window', held, 2001, 0, 'nobody'],
    ['before a release', released, 2000, 0, 'former'],
    ['after a release', released, 2001, 0, 'nobody'],
    ['of a worker ID that was never used', undefined, 2001, 0, 'nobody'],
    ['of a time whose grants may be lost', held, 1500, 1500, 'unknown'],
    ['of a worker ID whose row may be lost', undefined, 1500, 1500, 'unknown'],
    ['of an import', imports, 1000, 1500, 'import'],
    ['that no import has claimed', imports, 1001, 0, 'nobody'],
    ['that no import has claimed, of a time whose grants may be lost', imports, 1001, 1500, 'unknown'],
    ['with a fixed worker ID', fixed, 1500, 0, 'unknown'],
  ] as const)('of an ID %s', (_, row, timestampMs, grantsAfterMs, origin) => {
    expect(idOrigin(row, timestampMs, grantsAfterMs)).toBe(origin);
  });

  it('is known only in a namespace with the layout of the ID', () => {
    const layout = new BitLayout();
    const fingerprint = namespaceFingerprint(layout, { first: 0, count: 1024 });
    expect(hasLayout(fingerprint, layout)).toBe(true);
    expect(hasLayout(fingerprint, new BitLayout({ workerBits: 9 }))).toBe(false);
    expect(hasLayout(undefined, layout)).toBe(false);
  });
});
