import { changeRuns, playRuns } from '../../../../test/support/differential/play-runs.js';
import { EVERY_OUTCOME } from '../../../../test/support/differential/steps.js';
import { KeyValuePair, VirtualKeyValues } from '../../../../test/support/differential/key-value-pair.js';
import { MemoryKeyValues } from '../../../../test/support/memory-key-values.js';
import { FAR_DEADLINE, MAX_SKEW_MS, requestOf } from '../../../snowflake/src/stores/port/store-under-test.js';
import { WindowLedger } from '../../../snowflake/src/stores/port/window-ledger.js';
import type { LeaseReply } from '../../../snowflake/src/lease/lease-store.js';
import { KeyValueLeaseStore } from './key-value-lease-store.js';
import { type KeyValueServer, LED_SINCE_ROUNDING_MS } from './key-value-port.js';
import { FRESH_KEY, HEADER_KEY, STAMP_KEY } from './stored-header.js';
import { rowKey } from './row-format.js';

const garbage = ['', 'x', '-1', '1e3', '12', '12 nonce1@zzz', '9999999999999999', ' 5 a'];
const START_MS = Date.UTC(2026, 0, 1);
const LED_SINCE = { ms: START_MS - 60_000, clock: 'clock 1' };

class Registry {
  readonly values = new MemoryKeyValues();
  readonly store = new KeyValueLeaseStore('test namespace', this.values);

  constructor() {
    const marks = { positionAtMost: 100n, ledSince: LED_SINCE };
    this.values.server = { nowMs: START_MS, historyId: 'history 1', ...marks };
  }

  lease(holder: number, changes: Parameters<typeof requestOf>[1] = {}): Promise<LeaseReply> {
    return this.store.lease(requestOf(holder, changes), FAR_DEADLINE);
  }

  value(key: string): string | undefined {
    return this.values.content.entries.get(key)?.value;
  }

  put(key: string, value: string): void {
    this.values.content.put(new Map([[key, value]]));
  }
}

/** Whether a newcomer is granted a worker ID after this happened to a registry with one lease. */
async function outcomeAfter(happens: (registry: Registry) => void): Promise<string> {
  const registry = new Registry();
  await registry.lease(1);
  happens(registry);
  const { outcome } = await registry.lease(2, { assumeNew: false });
  return outcome;
}

describe('the registry of keys and values', () => {
  it('answers and stores the same as the model, step by step', async () => {
    const runs = playRuns(
      changeRuns(30, 4),
      garbage,
      (range) => new KeyValuePair(new VirtualKeyValues(), range),
    );
    expect(await runs).toEqual(EVERY_OUTCOME);
  });

  it('lists what is unreadable, and shows the rest', async () => {
    const registry = new Registry();
    await registry.lease(1);
    registry.put(rowKey(2), 'x');
    expect(await registry.store.inspect()).toMatchObject({
      rows: [{ workerId: 0 }],
      unreadable: [{ field: '2', stored: 'x' }],
    });
    registry.put(HEADER_KEY, '[]');
    const unreadable = [
      { field: 'header', stored: '[]' },
      { field: '2', stored: 'x' },
    ];
    expect(await registry.store.inspect()).toMatchObject({ rows: [{ workerId: 0 }], unreadable });
    expect(await registry.lease(2)).toEqual({ outcome: 'corrupt', field: 'header', stored: '[]' });
  });

  it('finds the first unused worker ID again after a grant skipped it', async () => {
    const registry = new Registry();
    await registry.lease(1, { workerCount: 100 });
    registry.values.beforeStep = async (step) => {
      if (step !== 'commit') return;
      registry.values.beforeStep = () => Promise.resolve();
      await registry.lease(2, { workerCount: 100 });
    };
    const skipping = await registry.lease(3, { workerCount: 100, searchSeed: 3 });
    expect(skipping).toMatchObject({ outcome: 'new' });
    if (skipping.outcome !== 'new') return;
    expect(skipping.workerId).toBeGreaterThan(2);
    expect(registry.value(FRESH_KEY)).toBe('2');
    expect(await registry.lease(4, { workerCount: 100 })).toMatchObject({ outcome: 'new', workerId: 2 });
  });
});

describe('the clock of the server [promise: after-loss]', () => {
  const LOST_AT_MS = START_MS + 1000;
  const HOUR_MS = 3_600_000;

  /** A registry loses a grant. The first caller afterwards reads `offMs` more than the true time, and later ones read the true time. */
  async function overlapsAfterLoss(offMs: number): Promise<string[]> {
    const registry = new Registry();
    const ledger = new WindowLedger();
    const call = async (holder: number, nowMs: number, historyId: string): Promise<void> => {
      registry.values.server = { nowMs, historyId, positionAtMost: undefined };
      const reply = await registry.lease(holder, {
        workerCount: 1,
        windowMs: HOUR_MS / 2,
        assumeNew: holder === 1,
      });
      if (reply.outcome === 'new') ledger.grant(reply);
    };
    await call(1, START_MS - HOUR_MS, 'history 1');
    const copy = registry.values.content.copy();
    await call(2, LOST_AT_MS, 'history 1');
    registry.values.content.entries.clear();
    for (const [key, entry] of copy.entries) registry.values.content.entries.set(key, entry);
    await call(3, LOST_AT_MS + offMs, 'history 2');
    await call(4, LOST_AT_MS + 1, 'history 2');
    return ledger.overlaps();
  }

  it('decides when a lost grant has ended, so no other grant overlaps it', async () => {
    expect(await overlapsAfterLoss(0)).toEqual([]);
  });

  it('lets a lost grant overlap another one if a process took its own clock, an hour behind (control)', async () => {
    expect(await overlapsAfterLoss(-HOUR_MS)).toHaveLength(1);
  });
});

describe('a grant that others overtake [promise: unique]', () => {
  /** Two processes call at once; the second one writes just before the first does. Returns the worker IDs. */
  async function workerIdsOfTwo(values: MemoryKeyValues): Promise<(number | undefined)[]> {
    values.server = { nowMs: START_MS, historyId: 'history 1', positionAtMost: 0n };
    const store = new KeyValueLeaseStore('test namespace', values);
    await store.lease(requestOf(0), FAR_DEADLINE);
    let other: Promise<LeaseReply> | undefined;
    values.beforeStep = async (step) => {
      if (step !== 'commit' || other) return;
      other = store.lease(requestOf(2), FAR_DEADLINE);
      await other;
    };
    const first = await store.lease(requestOf(1), FAR_DEADLINE);
    return [first, await other].map((reply) => (reply?.outcome === 'new' ? reply.workerId : undefined));
  }

  it('takes another worker ID if somebody took its own between reading and writing', async () => {
    const [first, second] = await workerIdsOfTwo(new MemoryKeyValues());
    expect(second).toBe(1);
    expect(first).not.toBe(second);
  });

  it('grants one worker ID twice if the write has no conditions (control)', async () => {
    class WithoutConditions extends MemoryKeyValues {
      override commit(changes: Parameters<MemoryKeyValues['commit']>[0]): Promise<boolean> {
        return super.commit({ ...changes, conditions: new Map() });
      }
    }
    expect(await workerIdsOfTwo(new WithoutConditions())).toEqual([1, 1]);
  });
});

describe('a history that was set back [promise: after-loss]', () => {
  it('makes newcomers wait if the position of the server has fallen', async () => {
    expect(
      await outcomeAfter(({ values }) => (values.server = { ...values.server, positionAtMost: 99n })),
    ).toBe('wait');
  });

  it('grants if the position stands, or is hidden (control)', async () => {
    expect(await outcomeAfter(() => undefined)).toBe('new');
    expect(
      await outcomeAfter(({ values }) => (values.server = { ...values.server, positionAtMost: undefined })),
    ).toBe('new');
  });

  it.each([
    ['clock 1', LED_SINCE_ROUNDING_MS],
    ['clock 2', LED_SINCE_ROUNDING_MS + MAX_SKEW_MS],
  ])(
    'makes newcomers wait if the leader is later than %s may show: by more than %d ms',
    async (clock, mostMs) => {
      const outcomeWith = (ledSince: KeyValueServer['ledSince']): Promise<string> =>
        outcomeAfter(({ values }) => {
          const { nowMs, historyId, positionAtMost } = values.server;
          values.server = { nowMs, historyId, positionAtMost, ...(ledSince && { ledSince }) };
        });
      expect(await outcomeWith({ clock, ms: LED_SINCE.ms + mostMs })).toBe('new');
      expect(await outcomeWith({ clock, ms: LED_SINCE.ms - 2 * mostMs })).toBe('new');
      expect(await outcomeWith({ clock, ms: LED_SINCE.ms + mostMs + 1 })).toBe('wait');
      // Control: nothing else differs.
      expect(await outcomeWith(undefined)).toBe('new');
    },
  );

  it('makes newcomers wait once for a later leader, which the header then has', async () => {
    const registry = new Registry();
    await registry.lease(1);
    const { server } = registry.values;
    const later = { ...server, ledSince: { ...LED_SINCE, ms: START_MS } };
    registry.values.server = later;
    const reply = await registry.lease(2);
    if (reply.outcome !== 'wait') throw new Error('expected a wait');
    registry.values.server = { ...later, nowMs: START_MS + reply.waitMs + 1 };
    expect((await registry.lease(2)).outcome).toBe('new');
  });

  it.each([
    ['its position has fallen', { positionAtMost: 99n }],
    ['it has a later leader', { ledSince: { ...LED_SINCE, ms: START_MS } }],
  ])(
    'asks again before it believes a server that shows that %s, because it may lag or have paused',
    async (_, mark) => {
      const outcome = await outcomeAfter(({ values }) => {
        const { server } = values;
        values.server = { ...server, ...mark };
        let readings = 0;
        values.beforeStep = async (step) => {
          if (step === 'read' && ++readings === 2) values.server = server;
        };
      });
      expect(outcome).toBe('new');
    },
  );

  it('compares positions beyond the largest exact number', async () => {
    const high = 2n ** 60n;
    const outcomeAt = async (positionAtMost: bigint): Promise<string> => {
      const registry = new Registry();
      registry.values.server = { ...registry.values.server, positionAtMost: high };
      await registry.lease(1);
      registry.values.server = { ...registry.values.server, positionAtMost };
      return (await registry.lease(2)).outcome;
    };
    expect([await outcomeAt(high), await outcomeAt(high - 1n)]).toEqual(['new', 'wait']);
  });

  it('makes newcomers wait if the header was put back by hand, and keeps holders', async () => {
    const registry = new Registry();
    const grant = await registry.lease(1);
    registry.put(HEADER_KEY, registry.value(HEADER_KEY) ?? '');
    if (grant.outcome !== 'new') throw new Error('expected a grant');
    const { workerId, fencingToken, untilMs } = grant;
    expect((await registry.lease(2)).outcome).toBe('wait');
    expect((await registry.lease(3, { claim: { workerId, fencingToken, untilMs } })).outcome).toBe('kept');
  });

  it('makes newcomers wait if everything was deleted and then put back by hand', async () => {
    const outcome = await outcomeAfter((registry) => {
      const dump = [...registry.values.content.entries].map(([key, { value }]) => [key, value] as const);
      registry.values.content.wipe();
      for (const [key, value] of dump) registry.put(key, value);
    });
    expect(outcome).toBe('wait');
  });

  it('grants if the header and its stamp are written together, as this library does (control)', async () => {
    const outcome = await outcomeAfter((registry) =>
      registry.values.content.put(
        new Map([
          [HEADER_KEY, registry.value(HEADER_KEY) ?? ''],
          [STAMP_KEY, ''],
        ]),
      ),
    );
    expect(outcome).toBe('new');
  });

  it('makes newcomers wait while rows are left, even if the operator asserts that the store is new', async () => {
    const outcome = await (async () => {
      const registry = new Registry();
      await registry.lease(1);
      for (const key of [HEADER_KEY, STAMP_KEY, FRESH_KEY]) registry.values.content.entries.delete(key);
      return (await registry.lease(2)).outcome;
    })();
    expect(outcome).toBe('wait');
  });
});

describe('a start of many processes at once', () => {
  /** Each step of each call happens in a round with one step of all others. Returns how many attempts the slowest call made. */
  async function attemptsOf(count: number, seedOf: (holder: number) => number): Promise<number> {
    const values = new MemoryKeyValues();
    values.server = { nowMs: START_MS, historyId: 'history 1', positionAtMost: 0n };
    await new KeyValueLeaseStore('test namespace', values).lease(requestOf(count), FAR_DEADLINE);
    values.beforeStep = () => new Promise((resolve) => setImmediate(resolve));
    const attempts = Array.from({ length: count }, () => 0);
    const calls = attempts.map((_, holder) => {
      const connection = {
        ...idle,
        port: () => {
          attempts[holder] = (attempts[holder] ?? 0) + 1;
          return values;
        },
      };
      const store = new KeyValueLeaseStore('test namespace', connection, roundsAsTime);
      const request = requestOf(holder, {
        workerCount: 1024,
        layout: 'contract layout',
        searchSeed: seedOf(holder),
      });
      return store.lease(request, FAR_DEADLINE);
    });
    const replies = await Promise.all(calls);
    const workerIds = new Set(replies.map((reply) => (reply.outcome === 'new' ? reply.workerId : -1)));
    expect(workerIds.size).toBe(count);
    return Math.max(...attempts);
  }
  /** A millisecond of a pause is a round, however fast the machine is. */
  const roundsAsTime = {
    now: () => START_MS,
    schedule(delayMs: number, task: () => void) {
      const wait = (left: number): void => void setImmediate(() => (left > 1 ? wait(left - 1) : task()));
      wait(delayMs);
      return { cancel: () => undefined };
    },
  };
  const idle = { open: () => undefined, reconnect: () => undefined, close: async () => undefined };
  const random = (holder: number): number => (holder * 2_654_435_761) % 2 ** 31;

  it('gives each process a worker ID of its own within a few attempts', async () => {
    expect(await attemptsOf(96, random)).toBeLessThanOrEqual(12);
  });

  it('takes what a later attempt has looked at, and leaves the hint of the first unused worker ID below it', async () => {
    const values = new MemoryKeyValues();
    values.server = { nowMs: START_MS, historyId: 'history 1', positionAtMost: 0n };
    const store = new KeyValueLeaseStore('test namespace', values, roundsAsTime);
    await store.lease(requestOf(0, { workerCount: 1024 }), FAR_DEADLINE);
    let rival: Promise<LeaseReply> | undefined;
    const listings: string[] = [];
    values.beforeStep = async (step) => {
      if (step === 'entries') listings.push(step);
      if (step !== 'commit' || rival) return;
      rival = store.lease(requestOf(1, { workerCount: 1024 }), FAR_DEADLINE);
      await rival;
    };
    const late = await store.lease(requestOf(2, { workerCount: 1024, searchSeed: 5 }), FAR_DEADLINE);
    expect(await rival).toMatchObject({ outcome: 'new', workerId: 1 });
    expect(late).toMatchObject({ outcome: 'new' });
    expect(listings).toEqual([]);
    const next = await store.lease(requestOf(3, { workerCount: 1024 }), FAR_DEADLINE);
    expect(next).toMatchObject({ outcome: 'new', workerId: 2 });
  });

  // Control: all choose alike, so one of them wins in each round.
  it('needs an attempt for each process if all choose alike (control)', async () => {
    expect(await attemptsOf(24, () => 7)).toBe(24);
  });
});
