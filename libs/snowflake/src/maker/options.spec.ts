import fc from 'fast-check';
import { atOnce } from '../../../../test/support/at-once.js';
import { runs } from '../../../../test/support/runs.js';
import { InvalidOptionError } from '../core/errors/input-errors.js';
import { StoppedError } from '../core/errors/issuing-errors.js';
import { StoreCorruptError } from '../core/errors/lease-errors.js';
import type { BitLayoutOptions } from '../core/layout/bit-layout-options.js';
import { BitLayout } from '../core/layout/bit-layout.js';
import { LEASE_OPTION_NAMES } from '../lease/lease-options.js';
import type { LeaseStore } from '../lease/lease-store.js';
import { VirtualClock } from '../stores/port/virtual-clock.js';
import { staticLeaseStore } from '../stores/fixed/fixed-worker-ids.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { MemoryRegistry } from '../stores/memory/memory-registry.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';
import type { SnowflakeOptions } from './snowflake-options.js';

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
    let refused = 0;
    fc.assert(
      fc.property(fc.constantFrom(...ROOT_OPTIONS), hostile, (option, value) => {
        if (madeOrRefused({ ...base(), [option]: value }) === 'refused') refused++;
      }),
      { numRuns: runs(800) },
    );
    expect(refused).toBeGreaterThan(runs(800) / 4);
    expect(madeOrRefused(base())).toBe('made');
  });

  it.each([
    ['layout', LAYOUT_OPTIONS],
    ['lease', LEASE_OPTION_NAMES],
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

/** IDs of a process that has the worker ID 7, at the same time as all others here. */
async function idsOf(options: Omit<SnowflakeOptions, 'store'>, count: number): Promise<Set<string>> {
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  const maker = new SnowflakeIdMaker(
    { ...options, store: staticLeaseStore({ workerId: 7, clock }) },
    { clock },
  );
  await atOnce(maker.start());
  const ids = maker.nextIds(count);
  expect(ids.map((id) => maker.decode(id).workerId)).toEqual(ids.map(() => 7));
  expect(maker.decode(ids[0]!).datacenterId).toBe(options.datacenterId);
  await atOnce(maker.stop());
  return new Set(ids);
}

const inCommon = (some: Set<string>, others: Set<string>): string[] =>
  [...some].filter((id) => others.has(id));

describe('datacenters [promise: unique]', () => {
  it('generates no equal IDs in two datacenters with the same worker ID, whatever the position of the field', async () => {
    const orders = fc.shuffledSubarray(['datacenter', 'worker', 'sequence'] as const, { minLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        orders,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(),
        fc.boolean(),
        async (order, datacenterBits, sequenceBits, number, isSame) => {
          const layout: BitLayoutOptions = { order, datacenterBits, workerBits: 3, sequenceBits };
          const datacenters = 2 ** datacenterBits;
          const a = number % datacenters;
          const b = isSame ? a : (a + 1 + (number % (datacenters - 1))) % datacenters;
          const [first, second] = await Promise.all([
            idsOf({ layout, datacenterId: a }, 300),
            idsOf({ layout, datacenterId: b }, 300),
          ]);
          // The control: in one and the same datacenter, all IDs are equal.
          expect(inCommon(first, second)).toHaveLength(isSame ? 300 : 0);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it('serves datacenters that each have a lease store of their own, which knows nothing of the other', async () => {
    const start = async (datacenterId: number): Promise<SnowflakeIdMaker> => {
      const clock = new VirtualClock('2026-01-01T00:00:00Z');
      const store = memoryLeaseStore({ registry: new MemoryRegistry(), clock });
      const layout = { datacenterBits: 1, workerBits: 4 };
      const lease = { possibleLoss: 'ignore' } as const;
      const maker = new SnowflakeIdMaker({ store, layout, datacenterId, lease }, { clock });
      await atOnce(maker.start());
      return maker;
    };
    const [east, west] = [await start(0), await start(1)];
    expect(east.status()).toMatchObject({ workerId: west.status().workerId, datacenterId: 0 });
    expect(inCommon(new Set(east.nextIds(5000)), new Set(west.nextIds(5000)))).toEqual([]);
    await Promise.all([east.stop(), west.stop()]);
  });

  it.each([
    -1,
    8,
    9,
    2 ** 32,
    0.5,
    Number.NaN,
    Infinity,
    '1' as unknown as number,
    null as unknown as number,
  ])('refuses the datacenter ID %o where the field has 3 bits', (datacenterId) => {
    const options = { store: staticLeaseStore({ workerId: 0 }), layout: { datacenterBits: 3 }, datacenterId };
    expect(() => new SnowflakeIdMaker(options)).toThrow(
      expect.objectContaining({
        code: 'SNOWFLAKE_INVALID_OPTION',
        option: 'datacenterId',
        remedy: expect.stringContaining('from 0 to 7'),
      }),
    );
  });

  it('refuses a datacenter ID where the layout has no field for it', () => {
    expect(() => new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 0 }), datacenterId: 1 })).toThrow(
      /^datacenterId is out of bounds \(given: 1\)/,
    );
  });
});

describe('a value that its field cannot hold [promise: unique]', () => {
  const beyond = [4200, 1024, -1, 1.5, 2 ** 32, 2 ** 53, Number.NaN, Infinity];

  it.each(beyond)('refuses, and never cuts, the worker ID %o of a fixed lease', async (workerId) => {
    const start = async (): Promise<void> => {
      const maker = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId }) });
      await atOnce(maker.start());
      await atOnce(maker.stop());
    };
    await expect(start()).rejects.toThrow(InvalidOptionError);
    await expect(start()).rejects.toMatchObject({ option: 'workerId', value: workerId });
  });

  it.each(
    beyond.flatMap((value) =>
      (['workerId', 'datacenterId', 'sequence'] as const).map((name) => [name, value] as const),
    ),
  )('refuses, and never cuts, %s %o to be composed', (name, value) => {
    const layout = new BitLayout({ datacenterBits: 10, workerBits: 10, sequenceBits: 10 });
    const fields = { tick: 1, datacenterId: 1, workerId: 1, sequence: 1 };
    expect(() => layout.compose({ ...fields, [name]: value })).toThrow(
      expect.objectContaining({ option: name, value, remedy: expect.stringContaining('from 0 to 1023') }),
    );
  });

  it.each([2 ** 41, -1, 0.5, Number.NaN])('refuses, and never cuts, the tick %o to be composed', (tick) => {
    expect(() => new BitLayout().compose({ tick, workerId: 0, sequence: 0 })).toThrow(
      expect.objectContaining({ option: 'tick', value: tick }),
    );
  });
});

it.each([4200, -1, 1.5])('believes no lease store that grants the worker ID %o', async (workerId) => {
  const memory = memoryLeaseStore();
  const store = {
    ...memory,
    description: 'a faulty store',
    renewable: true,
    release: memory.release.bind(memory),
    inspect: memory.inspect.bind(memory),
    close: memory.close.bind(memory),
    lease: async (request: Parameters<typeof memory.lease>[0]) => {
      const reply = await memory.lease(request);
      return reply.outcome === 'new' ? { ...reply, workerId } : reply;
    },
  };
  const maker = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } });
  await expect(atOnce(maker.start())).rejects.toThrow(StoreCorruptError);
  expect(() => maker.nextId()).toThrow(StoppedError);
  await atOnce(maker.stop());
});

describe('an ID maker without a store', () => {
  afterEach(() => {
    delete process.env['NODE_ENV'];
  });

  it.each(['development', 'test'])('keeps its lease in memory in %s', async (nodeEnv) => {
    process.env['NODE_ENV'] = nodeEnv;
    await using ids = new SnowflakeIdMaker();
    await ids.start();
    expect(ids.nextId()).toMatch(/^\d{18,19}$/);
    expect(ids.status().store).toContain('memory');
  });

  it.each(['production', 'staging', '', undefined])('is refused where NODE_ENV is %s', (nodeEnv) => {
    if (nodeEnv !== undefined) process.env['NODE_ENV'] = nodeEnv;
    expect(() => new SnowflakeIdMaker({})).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'store' }),
    );
  });
});
