import fc from 'fast-check';
import { MAX_SKEW_MS, START_MS, WINDOW_MS } from '../../support/differential/model-pair.js';
import { playRuns, type Runs } from '../../support/differential/play-runs.js';
import { leaseStep } from '../../support/differential/steps.js';
import { RedisPair } from './redis-pair.js';
import type { VirtualServer } from './virtual-server.js';

const garbage = [
  '',
  'x',
  '-1',
  '1e3',
  '12',
  '12 nonce1@zzz',
  '9999999999999999 nonce1@5',
  '9999999999999999',
  ' 5 a',
  '1.5 a',
];

/** Plays runs with few worker IDs on the model and on the Lua scripts. Resolves to the outcomes of all calls. */
export function compareWithModel(virtual: VirtualServer, runs: Runs): Promise<string[]> {
  return playRuns(runs, garbage, (range) => new RedisPair(virtual, range));
}

/** Does so beyond 1,024 worker IDs, where a search looks at a stretch. */
export async function compareSearches(virtual: VirtualServer, runs: Runs): Promise<void> {
  const COUNT = 5000;
  const FIRST = 3;
  const searches = fc.asyncProperty(
    fc.record({
      fresh: fc.constantFrom(FIRST, FIRST + 1, FIRST + 4500, FIRST + COUNT),
      absent: fc.nat(COUNT - 1),
    }),
    fc.integer({ min: 1, max: 97 }),
    fc.array(leaseStep, { minLength: 6, maxLength: 6 }),
    async ({ fresh, absent }, spread, leases) => {
      const pair = new RedisPair(virtual, { firstWorkerId: FIRST, workerCount: COUNT });
      const fields: Record<string, string> = {
        layout: 'own',
        historyId: pair.historyId,
        grantsAfter: String(START_MS - 1),
        grantsAfterReason: 'empty',
        window: String(WINDOW_MS),
        fresh: String(fresh),
      };
      for (let index = 0; index < COUNT; index += 1) {
        const reservedUntilMs = START_MS + MAX_SKEW_MS + 200 + ((index * 7919) % spread);
        if (index !== absent)
          fields[String(FIRST + index)] = `${reservedUntilMs} nonce${index % 7}@${START_MS}`;
      }
      await pair.prepare(fields);
      for (const lease of leases) {
        await pair.lease(lease);
        await pair.pass(180);
      }
    },
  );
  await fc.assert(searches, runs);
}
