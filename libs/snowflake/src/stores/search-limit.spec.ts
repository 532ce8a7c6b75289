import type { LeaseRequest } from '../lease/lease-store.js';
import { MemoryRegistry } from './memory/memory-registry.js';

const NOW_MS = Date.parse('2026-01-01T00:00:00Z');
const WINDOW_MS = 60_000;

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
    registry.fields.set(String(workerId), `${NOW_MS - 2 * WINDOW_MS + workerId} `);
  }
  return registry;
}

/** The worker ID that a search finds that begins where `searchSeed` says. */
function foundBy(searchSeed: number, workerCount: number): number {
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
  const reply = registryOf(workerCount).lease(request, { nowMs: NOW_MS, historyId: 'only' });
  if (reply.outcome !== 'new') throw new Error(`Nothing was granted: ${JSON.stringify(reply)}`);
  return reply.workerId;
}

describe('the search for the worker ID that has been offline longest', () => {
  it('looks at all of up to 1,024', () => {
    for (const seed of [0, 1, 511, 512, 1023]) expect(foundBy(seed, 1024)).toBe(0);
  });

  it('looks at a stretch of 512 beyond 1,024, which begins anywhere', () => {
    const COUNT = 1100;
    const found = Array.from({ length: COUNT }, (_, seed) => foundBy(seed, COUNT));
    // The longest offline of all lies in the stretches that begin at it, or up to 511 before it.
    expect(found.filter((workerId) => workerId === 0)).toHaveLength(512);
    expect(new Set(found).size).toBe(COUNT - 511);
  });
});
