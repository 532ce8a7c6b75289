import fc from 'fast-check';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import type { LeaseStore } from '../lease/lease-store.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { staticLeaseStore } from '../stores/fixed/fixed-worker-ids.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';
import type { SnowflakeOptions } from './snowflake-options.js';
import { runs } from '../../../../test/support/runs.js';

const ROOT_OPTIONS = [
  'store',
  'layout',
  'epoch',
  'datacenterId',
  'onClockRollback',
  'lease',
  'onSequenceExhausted',
  'maxDriftMs',
  'rollbackToleranceMs',
  'holderName',
] as const;
const LAYOUT_OPTIONS = ['timestampBits', 'datacenterBits', 'workerBits', 'sequenceBits', 'tickMs', 'order'];
const LEASE_OPTIONS = [
  'windowMs',
  'renewEveryMs',
  'reserveMs',
  'maxSkewMs',
  'callTimeoutMs',
  'acquireTimeoutMs',
  'possibleLoss',
  'strictClock',
  'firstWorkerId',
  'workerCount',
];

const hostile = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withMap: true }),
  fc.constantFrom(
    null,
    Number.NaN,
    Infinity,
    -Infinity,
    -0,
    2 ** 53,
    1e300,
    '',
    ' ',
    '10',
    '__proto__',
    Symbol('s'),
    () => 1,
  ),
);

/** The maker, or the typed error; anything else is a fault of the validation. */
function madeOrRefused(options: unknown): 'made' | 'refused' {
  try {
    const maker = new SnowflakeIdMaker(options as SnowflakeOptions);
    return maker.canIssue ? 'refused' : 'made';
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    expect(error.option).not.toBe('');
    expect(error.remedy).not.toBe('');
    expect(error.message).toContain(error.option);
    return 'refused';
  }
}

/** What the maker calls, as an object without a prototype of its own. */
function portOf(store: LeaseStore): LeaseStore {
  const { description, renewable } = store;
  return {
    description,
    renewable,
    lease: (request) => store.lease(request),
    release: (request) => store.release(request),
    inspect: () => store.inspect(),
    close: () => store.close(),
  };
}

describe('options of an ID maker [promise: unique]', () => {
  const base = () => ({ store: memoryLeaseStore() });

  it('refuses hostile options by a typed error that names them, whatever is given', () => {
    const seen = { made: 0, refused: 0 };
    fc.assert(
      fc.property(fc.constantFrom(...ROOT_OPTIONS), hostile, (option, value) => {
        seen[madeOrRefused({ ...base(), [option]: value })]++;
      }),
      { numRuns: runs(800) },
    );
    expect(seen.refused).toBeGreaterThan(runs(800) / 4);
    expect(seen.made).toBeGreaterThan(0);
  });

  it.each([
    ['layout', LAYOUT_OPTIONS],
    ['lease', LEASE_OPTIONS],
  ])('refuses hostile options within %s', (group, names) => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), hostile, { maxKeys: 3 }), (values) => {
        madeOrRefused({ ...base(), [group]: values });
      }),
      { numRuns: runs(800) },
    );
  });

  it('refuses hostile options as a whole', () => {
    for (const options of [undefined, null, 5, 'redis://localhost', [], () => 1]) {
      expect(madeOrRefused(options)).toBe('refused');
    }
  });

  it.each(['lease', 'release', 'close'])('refuses a store that has no %s()', (method) => {
    expect(madeOrRefused({ store: { ...portOf(memoryLeaseStore()), [method]: undefined } })).toBe('refused');
    expect(madeOrRefused({ store: portOf(memoryLeaseStore()) })).toBe('made');
  });

  it('lets no value through that an ID cannot hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -10, max: 5000 }),
        fc.integer({ min: 0, max: 12 }),
        async (workerId, workerBits) => {
          let maker: SnowflakeIdMaker;
          try {
            maker = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId }), layout: { workerBits } });
            await maker.start();
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidOptionError);
            expect(workerId < 0 || workerId >= 2 ** workerBits).toBe(true);
            return;
          }
          expect(maker.decode(maker.nextId()).workerId).toBe(workerId);
          await maker.stop();
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
