import fc from 'fast-check';
import { VirtualClock } from '../../store-testing/virtual-clock.js';
import { BitLayout } from '../layout/bit-layout.js';
import { IdGenerator } from './generator.js';
import { runs } from '../../../../../test/support/runs.js';

const START = Date.parse('2026-01-01T00:00:00Z');

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('one' as const), times: fc.integer({ min: 1, max: 200 }) }),
    fc.record({ kind: fc.constant('many' as const), times: fc.integer({ min: 0, max: 5000 }) }),
    fc.record({ kind: fc.constant('clock' as const), times: fc.integer({ min: -50, max: 500 }) }),
    fc.record({ kind: fc.constant('adopt' as const), times: fc.integer({ min: 1, max: 9 }) }),
  ),
  { maxLength: 30 },
);

describe('the number of issued IDs', () => {
  it.each(['switch', 'reuse'] as const)('counts every ID once, under %s', (onClockRollback) => {
    fc.assert(
      fc.property(steps, fc.constantFrom('zero', 'rolling' as const), (all, sequenceStart) => {
        const clock = new VirtualClock(START);
        const generator = new IdGenerator(new BitLayout(), clock, { onClockRollback, sequenceStart });
        const adopt = (workerId: number): void =>
          generator.adopt({ workerId, fromMs: 0, untilMs: START + 1e9, clockTimeUntilMs: START + 1e9 });
        adopt(0);
        let issued = 0;
        for (const { kind, times } of all) {
          if (kind === 'clock') clock.step(times);
          else if (kind === 'adopt') adopt(times);
          else if (kind === 'many') issued += generator.nextBigInts(times).length;
          else for (let made = 0; made < times; made++) issued += Number(generator.nextBigInt() >= 0n);
          expect(generator.issued).toBe(issued);
        }
        generator.stop();
        expect(generator.issued).toBe(issued);
      }),
      { numRuns: runs(1000) },
    );
  });
});
