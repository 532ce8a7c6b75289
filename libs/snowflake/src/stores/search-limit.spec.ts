import type { LeaseRequest } from '../lease/lease-store.js';
import { MemoryRegistry } from './memory/memory-registry.js';

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
  const request: LeaseRequest = {
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
  const reply = registry.lease(request, { nowMs: NOW_MS, historyId: 'only' });
  if (reply.outcome !== 'new') throw new Error(`Nothing was granted: ${JSON.stringify(reply)}`);
  registry.fields.set(String(reply.workerId), offlineRow(reply.workerId));
  return reply.workerId;
}

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
