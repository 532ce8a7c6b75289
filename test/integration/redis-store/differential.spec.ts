import fc from 'fast-check';
import type { LeaseReply, LeaseRequest } from '../../../libs/snowflake/src/lease/lease-store.js';
import { MemoryRegistry } from '../../../libs/snowflake/src/stores/memory/index.js';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { VirtualServer } from './virtual-server.js';

type Grant = Pick<Extract<LeaseReply, { outcome: 'new' }>, 'workerId' | 'deed' | 'untilMs'>;

const START_MS = Date.UTC(2026, 0, 1);
const WINDOW_MS = 6000;
const MAX_SKEW_MS = 500;

let server: RedisServer;
let virtual: VirtualServer;

beforeAll(async () => {
  server = await startRedis();
  virtual = new VirtualServer(server, 'differential');
});
afterAll(async () => {
  await virtual.close();
  await server.stop();
});

/** The model and the scripts, given the same calls. */
class Pair {
  readonly model = new MemoryRegistry();
  readonly outcomes = new Set<string>();
  private readonly grants: Grant[] = [];
  private copy: Map<string, string> = new Map();
  private nowMs = START_MS;
  private reigns = 1;

  constructor(private readonly range: Pick<LeaseRequest, 'firstWorkerId' | 'workerCount'>) {}

  async prepare(fields: Record<string, string>): Promise<void> {
    for (const [field, value] of Object.entries(fields)) this.model.fields.set(field, value);
    await virtual.replaceFields(fields);
    await this.tell();
  }

  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    await this.tell();
  }

  async lease(step: LeaseStep): Promise<void> {
    const grant = this.grants[step.grant % (this.grants.length || 1)];
    const request: LeaseRequest = {
      layout: step.isOtherLayout ? 'other' : 'own',
      ...this.range,
      windowMs: step.windowMs,
      maxSkewMs: MAX_SKEW_MS,
      nonce: `nonce${step.nonce}`,
      retry: step.retry,
      trustEmptyRegistry: step.trust,
      searchSeed: step.searchSeed,
      preferOffline: step.preferOffline,
      ...(step.shows && grant ? { claim: { ...grant, untilMs: grant.untilMs + step.shownMs } } : {}),
    };
    const expected = this.model.lease(request, { nowMs: this.nowMs, reign: `reign${this.reigns}` });
    this.outcomes.add(expected.outcome);
    if (expected.outcome === 'new') this.grants.push(expected);
    expect(await virtual.store.lease(request)).toEqual(expected);
    await this.compare();
  }

  async release(index: number, lastUsedMs: number): Promise<void> {
    const grant = this.grants[index % (this.grants.length || 1)];
    if (!grant) return;
    const request = { ...grant, lastUsedMs: this.nowMs + lastUsedMs };
    const expected = this.model.release(request);
    this.outcomes.add(expected.outcome);
    expect(await virtual.store.release(request)).toEqual(expected);
    await this.compare();
  }

  /** Damages one field for the length of one call. */
  async damage(index: number, value: string, step: LeaseStep): Promise<void> {
    const names = [...this.model.fields.keys()].sort();
    const field = names[index % (names.length || 1)];
    if (field === undefined) return;
    const before = this.model.fields.get(field) ?? '';
    await this.write(field, value);
    await this.lease(step);
    await this.write(field, before);
  }

  /** A failover to a copy made earlier (or to nothing), with or without a sign of it. */
  async lose(kind: 'copy' | 'all' | 'nothing', isSeen: boolean): Promise<void> {
    if (kind !== 'nothing') {
      const kept = kind === 'copy' ? this.copy : new Map<string, string>();
      this.model.wipe();
      for (const [field, value] of kept) this.model.fields.set(field, value);
      await virtual.replaceFields(Object.fromEntries(kept));
    }
    if (isSeen) this.reigns += 1;
    await this.tell();
  }

  remember(): void {
    this.copy = new Map(this.model.fields);
  }

  private async write(field: string, value: string): Promise<void> {
    this.model.fields.set(field, value);
    await virtual.redis.hset(virtual.key, field, value);
  }

  private tell(): Promise<void> {
    return virtual.become({ nowMs: this.nowMs, reign: `reign${this.reigns}` });
  }

  private async compare(): Promise<void> {
    expect(await virtual.fields()).toEqual(Object.fromEntries(this.model.fields));
  }
}

const leaseStep = fc.record({
  nonce: fc.nat(4),
  retry: fc.boolean(),
  trust: fc.boolean(),
  preferOffline: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  searchSeed: fc.nat(2 ** 31 - 1),
  windowMs: fc.constantFrom(WINDOW_MS, WINDOW_MS, WINDOW_MS, WINDOW_MS / 2, 2 * WINDOW_MS),
  isOtherLayout: fc.integer({ min: 0, max: 19 }).map((n) => n === 0),
  shows: fc.boolean(),
  grant: fc.nat(20),
  shownMs: fc.constantFrom(0, 0, 0, -1000, 1000),
});
type LeaseStep = typeof leaseStep extends fc.Arbitrary<infer Value> ? Value : never;

const garbage = fc.constantFrom(
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
);
const passed = fc.oneof(
  fc.constantFrom(0, 1, MAX_SKEW_MS, WINDOW_MS, WINDOW_MS + MAX_SKEW_MS, -1, -MAX_SKEW_MS),
  fc.integer({ min: -WINDOW_MS, max: 3 * WINDOW_MS }),
);

const step = fc.oneof(
  { weight: 12, arbitrary: leaseStep.map((lease) => (pair: Pair) => pair.lease(lease)) },
  { weight: 5, arbitrary: passed.map((ms) => (pair: Pair) => pair.pass(ms)) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(20), fc.integer({ min: -WINDOW_MS, max: WINDOW_MS })).map(
      ([grant, lastUsedMs]) =>
        (pair: Pair) =>
          pair.release(grant, lastUsedMs),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('copy' as const, 'all' as const, 'nothing' as const), fc.boolean())
      .map(
        ([kind, isSeen]) =>
          (pair: Pair) =>
            pair.lose(kind, isSeen),
      ),
  },
  { weight: 1, arbitrary: fc.constant(async (pair: Pair) => pair.remember()) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(20), garbage, leaseStep).map(
      ([index, value, lease]) =>
        (pair: Pair) =>
          pair.damage(index, value, lease),
    ),
  },
);

/** Runs of about 90 steps each. DIFFERENTIAL_RUNS=1150 makes more than 100,000 steps of it. */
const RUNS = Number(process.env.DIFFERENTIAL_RUNS ?? 30);

describe('the Lua scripts and the model', () => {
  it(
    'answer and store the same, step by step, with few worker IDs',
    async () => {
      const outcomes = new Set<string>();
      const runs = fc.asyncProperty(
        fc.record({ firstWorkerId: fc.constantFrom(0, 7), workerCount: fc.integer({ min: 1, max: 5 }) }),
        fc.array(step, { minLength: 60, maxLength: 120, size: 'max' }),
        async (range, steps) => {
          const pair = new Pair(range);
          await pair.prepare({});
          for (const play of steps) await play(pair);
          for (const outcome of pair.outcomes) outcomes.add(outcome);
        },
      );
      await fc.assert(runs, { numRuns: RUNS });
      const every = ['corrupt', 'full', 'gone', 'kept', 'layout', 'new', 'released', 'wait'];
      expect([...outcomes].sort()).toEqual(every);
    },
    60_000 + 2000 * RUNS,
  );

  it('answer and store the same beyond 4,096 worker IDs, where a search looks at a stretch', async () => {
    const COUNT = 5000;
    const FIRST = 3;
    const runs = fc.asyncProperty(
      fc.record({
        fresh: fc.constantFrom(FIRST, FIRST + 1, FIRST + 4500, FIRST + COUNT),
        absent: fc.nat(COUNT - 1),
      }),
      fc.integer({ min: 1, max: 97 }),
      fc.array(leaseStep, { minLength: 6, maxLength: 6 }),
      async ({ fresh, absent }, spread, leases) => {
        const pair = new Pair({ firstWorkerId: FIRST, workerCount: COUNT });
        const fields: Record<string, string> = {
          layout: 'own',
          reign: 'reign1',
          floor: String(START_MS - 1),
          floorReason: 'empty',
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
    await fc.assert(runs, { numRuns: 8 });
  });
});
