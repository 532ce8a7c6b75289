import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { MakerWatch, RegistryWatch, WorkerWatch } from '../src/api/console-api.js';
import { capacityOf } from '../page/src/workers/capacity.js';
import { type Problem, problemsOf } from '../page/src/workers/problems.js';
import { RUNBOOKS } from '../page/src/workers/runbooks.js';
import { serviceOf, servicesOf } from '../page/src/workers/services.js';
import { cellOf, cellsOf, countsOf, nextIndex, ownWorkerIds } from '../page/src/workers/cells.js';
import { changed } from '../page/src/live/changed.js';
import { changeBetween } from '../src/watch/changes.js';
import {
  incidentsOf,
  LONGEST_GAP_MS,
  observed,
  type Observations,
  ratesOf,
} from '../page/src/workers/observations.js';

const NOW_MS = Date.parse('2026-11-23T10:00:00Z');
const HELD: WorkerWatch = {
  workerId: 4,
  state: 'held',
  holder: 'a',
  fencingToken: '1:a@1',
  reservedUntilMs: NOW_MS,
};

const registryOf = (workers: readonly WorkerWatch[], rest: Partial<RegistryWatch> = {}): RegistryWatch => ({
  storeNowMs: NOW_MS,
  first: 0,
  total: 16,
  workers,
  ...rest,
});

const watchOf = (hostNowMs: number, registry?: RegistryWatch): MakerWatch => ({
  name: 'default',
  hostNowMs,
  registry,
});

/** Watches one worker ID through its states, two seconds apart. */
function watched(rows: readonly Partial<WorkerWatch>[], everyMs = 2000): Observations {
  const first = observed(undefined, watchOf(NOW_MS, registryOf([HELD])));
  return rows.reduce<Observations>(
    (seen, row, index) =>
      observed(seen, watchOf(NOW_MS + (index + 1) * everyMs, registryOf([{ ...HELD, ...row }]))),
    first,
  );
}

describe('a worker ID that is watched', () => {
  const other = { fencingToken: '2:b@2', holder: 'b' };

  it.each<[string, Partial<WorkerWatch>[], [number, number] | undefined]>([
    ['that is renewed', [{ reservedUntilMs: NOW_MS + 9, fencingToken: '1:a@1~1~f' }], undefined],
    ['whose window runs out', [{ state: 'offline' }], [1, 0]],
    ['that somebody else takes over', [other], [0, 1]],
    ['that is taken over after its window ran out', [{ state: 'offline' }, other], [1, 1]],
    [
      'that is released, then granted again',
      [{ state: 'released', fencingToken: undefined }, other],
      undefined,
    ],
    ['that runs out, and is released late', [{ state: 'offline' }, { state: 'released' }, other], [1, 0]],
  ])('counts the incidents of a worker ID %s', (_, rows, counts) => {
    const [incident] = incidentsOf(watched(rows));
    expect(incident && [incident.lapses, incident.takeovers]).toEqual(counts);
  });

  it('reports nothing about a gap between two events', () => {
    expect(incidentsOf(watched([other], LONGEST_GAP_MS + 1))).toEqual([]);
  });

  it('names the holders of a worker ID in order', () => {
    expect(incidentsOf(watched([other, { fencingToken: '3:c@3', holder: 'c' }]))[0]?.holders).toEqual([
      'a',
      'b',
      'c',
    ]);
  });
});

describe('a store that is watched', () => {
  it('reports another history once its ID changes, also after an outage', () => {
    const before = observed(undefined, watchOf(NOW_MS, registryOf([], { historyId: 'one' })));
    const during = observed(before, watchOf(NOW_MS + 60_000));
    expect(during.registry).toBe(before.registry);
    const after = observed(during, watchOf(NOW_MS + 120_000, registryOf([], { historyId: 'two' })));
    expect(after.historyChanges).toEqual([
      { atMs: NOW_MS, forgotten: 0, history: { from: 'one', to: 'two' } },
    ]);
  });

  const released: WorkerWatch = { workerId: 5, state: 'released', reservedUntilMs: 1 };
  const full = registryOf([HELD, released], { historyId: 'one', grantsAfterMs: 0 });
  const after = (registry: RegistryWatch, afterMs = 2000): Observations =>
    observed(observed(undefined, watchOf(NOW_MS, full)), watchOf(NOW_MS + afterMs, registry));

  it.each([2000, LONGEST_GAP_MS + 1])(
    'reports a lost history if the store is emptied, as FLUSHALL does, and has the same ID %i ms later',
    (afterMs) => {
      const seen = after(registryOf([], { historyId: 'one', grantsAfterMs: NOW_MS + 60_000 }), afterMs);
      expect(seen.historyChanges).toEqual([{ atMs: NOW_MS, forgotten: 2, grantsAfterMs: NOW_MS + 60_000 }]);
      expect(incidentsOf(seen)).toEqual([
        { workerId: 4, takeovers: 0, lapses: 0, losses: 1, lastMs: NOW_MS, holders: ['a'] },
      ]);
    },
  );

  it('reports a lost history if the store is empty or begins another wait', () => {
    expect(after(registryOf([])).historyChanges).toEqual([
      { atMs: NOW_MS, forgotten: 2, history: { from: 'one' } },
    ]);
    expect(after({ ...full, grantsAfterMs: 7 }).historyChanges).toEqual([
      { atMs: NOW_MS, forgotten: 0, grantsAfterMs: 7 },
    ]);
  });

  // Control: none of these is a loss.
  it.each<[string, RegistryWatch]>([
    ['stays the same', full],
    ['has more worker IDs', { ...full, workers: [HELD, released, { ...HELD, workerId: 6 }] }],
    ['has more than the app shows', { ...full, workers: [{ ...HELD, workerId: 2 }, HELD], omitted: 1 }],
  ])('reports no loss if the store %s (control)', (_, registry) => {
    expect(after(registry).historyChanges).toEqual([]);
    expect(incidentsOf(after(registry))).toEqual([]);
  });

  it('reports no loss of a worker ID that can no longer be read', () => {
    const first = observed(undefined, watchOf(NOW_MS, registryOf([HELD])));
    const seen = observed(first, watchOf(NOW_MS + 2000, registryOf([], { unreadable: ['4'] })));
    expect([seen.historyChanges, incidentsOf(seen)]).toEqual([[], []]);
    // Control: the same without it.
    expect(observed(first, watchOf(NOW_MS + 2000, registryOf([]))).historyChanges).toHaveLength(1);
  });

  it('reports no loss if a new namespace begins to wait', () => {
    const empty = observed(undefined, watchOf(NOW_MS, registryOf([])));
    const begun = registryOf([], { historyId: 'one', grantsAfterMs: NOW_MS + 60_000 });
    expect(observed(empty, watchOf(NOW_MS + 2000, begun)).historyChanges).toEqual([]);
  });
});

describe('the rate', () => {
  const status = (issued: number): MakerWatch['status'] => ({
    state: 'active',
    issued,
    expiresAtMs: 0,
    driftMs: 0,
    clockCorrectionMs: 0,
    failedCalls: {},
  });

  it('starts the rate anew with the process', () => {
    const counts = [100, 300, 300, 20, 60];
    const seen = counts.reduce<Observations | undefined>(
      (before, issued, index) =>
        observed(before, { ...watchOf(NOW_MS + index * 2000), status: status(issued) }),
      undefined,
    );
    expect(ratesOf(seen?.samples ?? [])).toEqual([20]);
    expect(ratesOf(seen?.samples.slice(0, 1) ?? [])).toEqual([]);
  });
});

describe('the cells', () => {
  const registry = registryOf([HELD, { workerId: 5, state: 'released', reservedUntilMs: 1 }], {
    first: 2,
    total: 10,
  });

  it('counts worker IDs of all states so that they add up to the whole layout', () => {
    expect(cellsOf(registry, new Set([4]), 2).map(({ state }) => state)).toEqual([
      'unused',
      'unused',
      'own',
      'released',
      ...Array.from({ length: 6 }, () => 'unused'),
    ]);
    const others = { offline: 0, replaced: 0, reserved: 0, unreadable: 0 };
    const counts = { own: 1, held: 0, released: 1, unused: 8, ...others };
    expect(countsOf(registry, new Set([4]))).toEqual(counts);
  });

  it('includes unreadable worker IDs in the counts of the whole layout', () => {
    const damaged = { ...registry, unreadable: ['7', 'window'] };
    expect(cellsOf(damaged, new Set(), 7)[0]).toMatchObject({ workerId: 7, state: 'unreadable' });
    expect(countsOf(damaged, new Set())).toMatchObject({ held: 1, released: 1, unused: 7, unreadable: 1 });
    // A process can go on while its row is unreadable.
    expect(countsOf(damaged, new Set([7]))).toMatchObject({ own: 1, unused: 7, unreadable: 0 });
  });

  it('marks the worker IDs of all makers of this process that share the store', () => {
    const layout = { epochMs: 0 };
    const facts = [
      { name: 'a', store: 'one', layout },
      { name: 'b', store: 'one', layout },
      { name: 'c', store: 'two', layout },
    ];
    const makers = [3, 4, 5].map((workerId, index) => ({
      name: 'abc'.charAt(index),
      hostNowMs: 0,
      status: {
        state: 'active',
        workerId,
        issued: 0,
        expiresAtMs: 0,
        driftMs: 0,
        clockCorrectionMs: 0,
        failedCalls: {},
      },
    }));
    expect(ownWorkerIds({ makers }, facts, 'a')).toEqual(new Set([3, 4]));
    expect(ownWorkerIds({ makers }, [], 'c')).toEqual(new Set([5]));
  });

  it('never moves the focus out of the grid', () => {
    const keys = fc.constantFrom(
      'ArrowUp',
      'ArrowDown',
      'ArrowLeft',
      'ArrowRight',
      'Home',
      'End',
      'PageUp',
      'PageDown',
    );
    fc.assert(
      fc.property(
        keys,
        fc.nat(1023),
        fc.constantFrom(32, 64),
        fc.boolean(),
        (key, index, columns, isWhole) => {
          const next = nextIndex(key, index, 1024, columns, isWhole);
          expect(next).toBeGreaterThanOrEqual(0);
          expect(next).toBeLessThan(1024);
        },
      ),
    );
    expect(nextIndex('x', 5, 1024, 64, false)).toBeUndefined();
  });
});

describe('the changes of an event', () => {
  /** As an event is: each name stands for a list, an object or a simple value, and each can be absent. */
  const { event } = fc.letrec<{ event: unknown }>((tie) => ({
    event: fc.record(
      {
        number: fc.integer({ min: 0, max: 3 }),
        words: fc.array(fc.constantFrom('', 'a'), { maxLength: 3 }),
        rows: fc.array(tie('event'), { maxLength: 3, depthIdentifier: 'event' }),
        object: fc.option(tie('event'), { nil: undefined, maxDepth: 3 }),
      },
      { requiredKeys: [] },
    ),
  }));

  it('turns the event before into the one after it', () => {
    fc.assert(
      fc.property(event, event, (before, after) => {
        const change = changeBetween(before, after);
        const sent = JSON.parse(JSON.stringify(change ?? {})) as typeof change;
        if (change !== undefined) expect(changed(before, sent ?? {})).toEqual(after);
        else expect(after).toEqual(before);
      }),
    );
  });

  it('is small if one worker ID of many is renewed', () => {
    const rows = Array.from({ length: 1000 }, (_, workerId) => ({ ...HELD, workerId }));
    const before = watchOf(NOW_MS, registryOf(rows));
    const after = watchOf(NOW_MS + 2000, registryOf(rows.with(7, { ...rows[7]!, reservedUntilMs: 9 })));
    expect(changeBetween(before, after)).toEqual({
      hostNowMs: NOW_MS + 2000,
      registry: { workers: { 7: { reservedUntilMs: 9 } } },
    });
  });
});

describe('the services', () => {
  it.each([
    ['payments-api-7d9c6b5f4-fdtn8/1', 'payments-api'],
    ['orders-6d4cf56db6-x7k2p/1/thread-3', 'orders'],
    ['mailer-0/1', 'mailer'],
    ['log-agent-x7k2p/1', 'log-agent'],
    ['ip-10-0-0-12.eu-west-1.compute.internal/4711', ''],
    ['mailer-2.mailer.shop.svc/1', 'mailer'],
    ['4f2a9c1d7e30/1', ''],
    ['laptop', 'laptop'],
  ])('takes %s for a process of %j', (holder, service) => {
    expect(serviceOf(holder)).toBe(service);
  });

  it('groups processes by service, the largest first', () => {
    const rows = ['a-0', 'b-0', 'b-1', '4f2a9c1d7e30'].map((holder, workerId) => ({
      ...HELD,
      workerId,
      holder,
    }));
    expect(servicesOf(registryOf(rows)).map(({ name, held }) => [name, held])).toEqual([
      ['b', 2],
      ['a', 1],
      ['', 1],
    ]);
  });
});

describe('the capacity', () => {
  it('has room for a new process wherever no worker ID is held', () => {
    const rows: WorkerWatch[] = [
      HELD,
      { ...HELD, workerId: 5, holder: 'b', state: 'offline' },
      { workerId: 6, state: 'released', reservedUntilMs: 1 },
    ];
    const capacity = { held: 1, offline: 1, reserved: 0, room: 14, total: 16 };
    expect(capacityOf(registryOf(rows, { unreadable: ['9', 'window'] }))).toEqual(capacity);
    expect(capacityOf(registryOf(rows, { omitted: 3 }))).toEqual({ ...capacity, room: 12 });
  });
});

describe('what is no process', () => {
  const imports: WorkerWatch = {
    workerId: 15,
    state: 'reserved',
    claimedUntilMs: NOW_MS - 9,
    reservedUntilMs: 999_999_999_999_999,
  };

  it('is a worker ID that is reserved for imports, which no new process can get', () => {
    const registry = registryOf([HELD, imports]);
    expect(capacityOf(registry)).toMatchObject({ held: 1, reserved: 1, room: 14 });
    expect(countsOf(registry, new Set())).toMatchObject({ held: 1, reserved: 1, unused: 14 });
    expect(servicesOf(registry).map(({ rows }) => rows)).toEqual([[HELD]]);
  });

  it('is a worker ID whose process got another one after an outage', () => {
    const before: WorkerWatch = { ...HELD, workerId: 5, state: 'offline' };
    const registry = registryOf([HELD, before]);
    expect(capacityOf(registry)).toMatchObject({ held: 1, offline: 0, room: 15 });
    expect(servicesOf(registryOf([before, { ...HELD, workerId: 6 }]))).toMatchObject([
      { held: 1, offline: 0, replaced: 1, rows: [{ workerId: 6 }, before] },
    ]);
    expect(cellOf(registry, new Set(), 5)).toMatchObject({ state: 'replaced' });
    // Control: the process of the other worker ID doesn't run.
    const gone = registryOf([HELD, { ...before, holder: 'b' }]);
    expect(capacityOf(gone)).toMatchObject({ held: 1, offline: 1 });
    expect(cellOf(gone, new Set(), 5)).toMatchObject({ state: 'offline' });
    // Control: a name that several processes have.
    expect(capacityOf(registryOf([HELD, before, { ...HELD, workerId: 6 }]))).toMatchObject({ offline: 1 });
  });
});

describe('the problems', () => {
  const status = {
    state: 'active',
    workerId: 4,
    issued: 0,
    expiresAtMs: NOW_MS + 1e12,
    driftMs: 0,
    clockCorrectionMs: 0,
    failedCalls: {},
  };
  const kindsOf = (maker: Partial<MakerWatch>, before?: Observations): Problem['kind'][] => {
    const seen = observed(before, { ...watchOf(NOW_MS, registryOf([HELD])), status, ...maker });
    return problemsOf(seen, NOW_MS, undefined).map(({ kind }) => kind);
  };

  it('lists nothing while all is well', () => {
    expect(kindsOf({})).toEqual([]);
  });

  it.each<[string, Partial<MakerWatch>, Problem['kind']]>([
    ['a store that can’t be read', { registry: undefined, registryErrorCode: 'X' }, 'store'],
    [
      'a reserve that is being spent',
      { status: { ...status, state: 'degraded' }, registryErrorCode: 'X' },
      'degraded',
    ],
    ['a clock that was corrected', { status: { ...status, clockCorrectionMs: 480_000 } }, 'clock'],
    ['a clock that differs from the store’s', { hostNowMs: NOW_MS - 6000 }, 'clock'],
    ['unreadable values', { registry: registryOf([HELD], { unreadable: ['7'] }) }, 'unreadable'],
    ['a wait after a loss', { registry: registryOf([HELD], { grantsAfterMs: NOW_MS + 1 }) }, 'waits'],
    ['a process that went offline', { registry: registryOf([{ ...HELD, state: 'offline' }]) }, 'offline'],
    ['a layout that ends soon', { status: { ...status, expiresAtMs: NOW_MS + 1 } }, 'layoutEnds'],
  ])('lists %s', (_, maker, kind) => {
    expect(kindsOf(maker)).toEqual([kind]);
  });

  it('names a page of the documentation for each, by its title and one of its headings', () => {
    for (const { page, title, heading } of Object.values(RUNBOOKS)) {
      const text = readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8');
      expect(text).toContain(`# ${title}\n`);
      if (heading !== undefined) expect(text).toMatch(new RegExp(`^##+ ${heading}$`, 'm'));
    }
  });

  it('names every process whose clock is wrong, its own first', () => {
    const rows = [
      { ...HELD, workerId: 3, holder: 'b', clockCorrectionMs: -720_000 },
      // Of the last renewal, so the status of this process is newer.
      { ...HELD, clockCorrectionMs: 60_000 },
      { ...HELD, workerId: 5, holder: 'c', clockCorrectionMs: 999 },
      { ...HELD, workerId: 6, holder: 'd', clockCorrectionMs: 720_000, state: 'offline' },
    ] as const;
    const maker = { ...watchOf(NOW_MS, registryOf(rows)), status: { ...status, clockCorrectionMs: 480_000 } };
    const seen = observed(undefined, maker);
    const [clocks] = problemsOf(seen, NOW_MS, undefined).filter(({ kind }) => kind === 'clock');
    const own = { process: 'a', aheadMs: -480_000 };
    expect(clocks).toEqual({ kind: 'clock', clocks: [own, { process: 'b', aheadMs: 720_000 }] });
  });

  it('lists no process that went offline more than a day ago', () => {
    const row = { ...HELD, state: 'offline', reservedUntilMs: NOW_MS - 86_400_001 } as const;
    expect(kindsOf({ registry: registryOf([row]) })).toEqual([]);
  });

  it('lists no worker ID that went offline while its process got another, as after an outage', () => {
    const before = { ...HELD, workerId: HELD.workerId + 1, state: 'offline' } as const;
    expect(kindsOf({ registry: registryOf([HELD, before]) })).toEqual([]);
    // Control: another process.
    expect(kindsOf({ registry: registryOf([HELD, { ...before, holder: 'another' }]) })).toEqual(['offline']);
  });
});
