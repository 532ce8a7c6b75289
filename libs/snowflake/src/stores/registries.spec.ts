import fc from 'fast-check';
import { BitLayout } from '../core/layout/bit-layout.js';
import { IdGenerator } from '../core/generator/generator.js';
import { keeperSettings } from '../lease/lease-options.js';
import type { LeaseRequest } from '../lease/lease-store.js';
import { checkLeaseRequest, checkReleaseRequest } from './check-request.js';
import { VirtualClock } from './port/virtual-clock.js';
import { memoryLeaseStore } from './memory/memory-lease-store.js';
import { MemoryRegistry } from './memory/memory-registry.js';
import { readRow, readSnapshot, readWholeNumber, writeRow } from './registry-format.js';

const request: LeaseRequest = {
  layout: 'l',
  firstWorkerId: 0,
  workerCount: 1024,
  windowMs: 60_000,
  maxSkewMs: 5_000,
  nonce: '0123456789abcdef:host',
  retry: false,
  assumeNew: false,
  searchSeed: 0,
};
const claim = { workerId: 0, fencingToken: 'n@1', untilMs: 1 };

describe('a lease request', () => {
  it.each<[string, Partial<LeaseRequest>]>([
    ['as it should be', {}],
    ['with a claim', { claim }],
    ['with the largest range', { firstWorkerId: 1, workerCount: 2 ** 31 - 1 }],
    ['with the range of its layout', { layout: 'v2 workers=8+4', firstWorkerId: 8, workerCount: 4 }],
  ])('accepts a lease request: %s', (_, changes) => {
    expect(() => checkLeaseRequest({ ...request, ...changes })).not.toThrow();
  });

  it.each<[string, Partial<LeaseRequest>]>([
    ['layout', { layout: '' }],
    ['layout', { layout: 'x'.repeat(1001) }],
    ['firstWorkerId', { firstWorkerId: -1 }],
    ['workerCount', { workerCount: 0 }],
    ['workerCount', { firstWorkerId: 1, workerCount: 2 ** 31 }],
    ['workerCount', { layout: 'v2 workers=8+4', firstWorkerId: 8, workerCount: 5 }],
    ['firstWorkerId', { layout: 'v2 workers=8+4', firstWorkerId: 7, workerCount: 4 }],
    ['windowMs', { windowMs: 0.5 }],
    ['windowMs', { windowMs: NaN }],
    ['maxSkewMs', { maxSkewMs: -1 }],
    ['searchSeed', { searchSeed: 2 ** 31 }],
    ['nonce', { nonce: '' }],
    ['nonce', { nonce: 'name@host' }],
    ['nonce', { nonce: 'name~host' }],
    ['attempts', { attempts: [] }],
    ['attempts', { attempts: ['a~1'] }],
    ['attempts', { attempts: Array.from({ length: 65 }, () => 'a') }],
    ['attempts', { attempts: [5] as unknown as string[] }],
    ['claim.workerId', { claim: { ...claim, workerId: 1.5 } }],
    ['claim.untilMs', { claim: { ...claim, untilMs: Number.MAX_SAFE_INTEGER } }],
    ['claim.fencingToken', { claim: { ...claim, fencingToken: '' } }],
  ])('refuses a lease request for its %s: %j', (option, changes) => {
    const call = () => checkLeaseRequest({ ...request, ...changes });
    expect(call).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }));
  });
});

describe('a release request', () => {
  it('accepts a release as it should be', () => {
    expect(() => checkReleaseRequest({ workerId: 0, fencingToken: 'n@1', lastUsedMs: 0 })).not.toThrow();
  });

  it.each([
    ['workerId', { workerId: -1 }],
    ['lastUsedMs', { lastUsedMs: -1 }],
    ['lastUsedMs', { lastUsedMs: 1e15 }],
  ])('refuses a release request for its %s: %j', (option, changes) => {
    const call = () => checkReleaseRequest({ workerId: 0, fencingToken: 'n@1', lastUsedMs: 0, ...changes });
    expect(call).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }));
  });
});

const NOW_MS = Date.parse('2026-01-01T00:00:00Z');
const WINDOW_MS = 60_000;

const offlineRow = (workerId: number): string => `${NOW_MS - 2 * WINDOW_MS + workerId} `;

/** A registry whose worker IDs are all offline: the lower, the longer. */
function registryOf(workerCount: number): MemoryRegistry {
  const registry = new MemoryRegistry();
  const header = {
    layout: 'own',
    historyId: 'only',
    grantsAfter: String(NOW_MS - 10 * WINDOW_MS),
    grantsAfterReason: 'empty',
    window: String(WINDOW_MS),
    fresh: String(workerCount),
    maxSkew: '5000',
  };
  for (const [field, value] of Object.entries(header)) registry.fields.set(field, value);
  for (let workerId = 0; workerId < workerCount; workerId++) {
    registry.fields.set(String(workerId), offlineRow(workerId));
  }
  return registry;
}

/** The worker ID that a search finds that begins where `searchSeed` says. The registry is as before afterwards. */
function foundBy(searchSeed: number, registry: MemoryRegistry, workerCount: number): number {
  const searching: LeaseRequest = {
    layout: 'own',
    firstWorkerId: 0,
    workerCount,
    windowMs: WINDOW_MS,
    maxSkewMs: 5000,
    nonce: 'nonce',
    retry: false,
    assumeNew: false,
    searchSeed,
  };
  const reply = registry.lease(searching, { nowMs: NOW_MS, historyId: 'only' });
  if (reply.outcome !== 'new') throw new Error(`Nothing was granted: ${JSON.stringify(reply)}`);
  registry.fields.set(String(reply.workerId), offlineRow(reply.workerId));
  return reply.workerId;
}

describe('a worker ID beside the range of the layout [promise: unique]', () => {
  const layout = new BitLayout();
  const { fingerprint } = keeperSettings(layout, { workerCount: 1 });
  const ofRange = { ...request, layout: fingerprint, assumeNew: true, workerCount: 1 };
  const tooMany = { ...ofRange, nonce: '0123456789abcdef:other', workerCount: 2 };

  it('stays free for a process that leases none, since stores refuse a range that contains it', async () => {
    const store = memoryLeaseStore();
    await expect(store.lease(ofRange)).resolves.toMatchObject({ outcome: 'new', workerId: 0 });
    await expect(store.lease({ ...tooMany, workerCount: 1 })).resolves.toMatchObject({ outcome: 'full' });
    await expect(store.lease(tooMany)).rejects.toMatchObject({ option: 'workerCount' });
  });

  it('repeats the IDs of such a process in a registry that checks no requests (control)', () => {
    const registry = new MemoryRegistry();
    const server = { nowMs: NOW_MS, historyId: 'only' };
    registry.lease(ofRange, server);
    const reply = registry.lease(tooMany, server);
    if (reply.outcome !== 'new') throw new Error(`Nothing was granted: ${JSON.stringify(reply)}`);
    const idsOf = (workerId: number): string[] => {
      const generator = new IdGenerator(layout, new VirtualClock(NOW_MS));
      const { fromMs, untilMs } = reply;
      generator.adopt({ workerId, fromMs, untilMs, clockTimeUntilMs: untilMs });
      return [generator.nextId(), generator.nextId()];
    };
    const FIXED = 1;
    expect(idsOf(reply.workerId)).toEqual(idsOf(FIXED));
  });
});

describe('the search for the worker ID that has been offline longest', () => {
  it('looks at all of up to 1,024', () => {
    const registry = registryOf(1024);
    for (const seed of [0, 1, 511, 512, 1023]) expect(foundBy(seed, registry, 1024)).toBe(0);
  });

  it('looks at a stretch of 512 beyond 1,024, which begins anywhere', () => {
    const COUNT = 1100;
    const registry = registryOf(COUNT);
    const [longestOffline, firstAround] = [0, COUNT - 511];
    // The first of a stretch, or the longest offline of all where the stretch goes around the end.
    for (const seed of [1, 2, 300, firstAround - 1]) expect(foundBy(seed, registry, COUNT)).toBe(seed);
    for (const seed of [0, firstAround, 800, COUNT - 1]) {
      expect(foundBy(seed, registry, COUNT)).toBe(longestOffline);
    }
  });
});

const ms = fc.nat(999_999_999_999_999);

describe('rows', () => {
  it('reads rows as they were written', () => {
    fc.assert(
      fc.property(ms, fc.string(), (reservedUntilMs, fencingToken) => {
        expect(readRow(writeRow({ reservedUntilMs, fencingToken }))).toEqual({
          reservedUntilMs,
          fencingToken,
        });
      }),
    );
  });

  it.each(['', ' ', '12', 'x a', '-1 a', '1.5 a', '1e3 a', '1234567890123456 a'])(
    'refuses %j as a row',
    (row) => {
      expect(readRow(row)).toBeUndefined();
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
