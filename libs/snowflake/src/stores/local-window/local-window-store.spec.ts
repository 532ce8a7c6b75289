import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreUnavailableError } from '../../core/errors/lease-errors.js';
import type { LeaseReply, LeaseRequest, LeaseStore } from '../../lease/lease-store.js';
import { StoreCaller } from '../../lease/store-caller.js';
import { renewalOf, requestOf } from '../port/store-under-test.js';
import { VirtualClock } from '../port/virtual-clock.js';
import { memoryLeaseStore } from '../memory/memory-lease-store.js';
import { MemoryRegistry } from '../memory/memory-registry.js';
import { staticLeaseStore } from '../fixed/fixed-worker-ids.js';
import { withLocalWindow } from './with-local-window.js';

type Granted = Extract<LeaseReply, { outcome: 'new' }>;

const WINDOW_MS = 3_600_000;

let folder: string;
let file: string;
let clock: VirtualClock;
let registry: MemoryRegistry;
let isAway: boolean;
let isSilent: boolean;
let asked: LeaseRequest[];
let warnings: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'snowflake-window-'));
  file = join(folder, 'window');
  clock = new VirtualClock();
  registry = new MemoryRegistry();
  isAway = false;
  isSilent = false;
  asked = [];
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A store that can be out of reach, and describes itself more exactly once it has answered. */
function distantStore(namespace: string): LeaseStore {
  const store = memoryLeaseStore({ registry, clock, namespace });
  let place = '';
  const reach = (): void => {
    if (isAway) throw new StoreUnavailableError('is away');
  };
  return {
    get description() {
      return `${place}${store.description}`;
    },
    renewable: true,
    async lease(request) {
      asked.push(request);
      reach();
      if (isSilent) return new Promise(() => undefined);
      place = 'schema "public" ';
      return store.lease(request);
    },
    async release(request) {
      reach();
      return store.release(request);
    },
    inspect: () => store.inspect(),
    close: () => store.close(),
  };
}

/** The store of a new process. */
async function newProcess(namespace = 'shop'): Promise<LeaseStore> {
  const store = withLocalWindow(distantStore(namespace), { file, clock });
  await store.open?.({ callTimeoutMs: 1000, warn: (message) => warnings.push(message) });
  return store;
}

async function acquire(store: LeaseStore, request = requestOf(1)): Promise<Granted> {
  const reply = await store.lease(request);
  if (reply.outcome !== 'new') throw new Error(`no grant: ${JSON.stringify(reply)}`);
  return reply;
}

/** A process that has stopped, and what it held. */
async function pastProcess(lastUsedAfterMs = 10): Promise<Granted & { readonly lastUsedMs: number }> {
  const store = await newProcess();
  const grant = await acquire(store);
  const lastUsedMs = clock.now() + lastUsedAfterMs;
  const { workerId, fencingToken, untilMs } = grant;
  expect(await store.release({ workerId, fencingToken, lastUsedMs })).toEqual({
    outcome: 'released',
    reservedUntilMs: untilMs,
  });
  asked = [];
  return { ...grant, lastUsedMs };
}

const row = (workerId: number): string | undefined => registry.fields.get(String(workerId));

describe('a store with a local window', () => {
  it('keeps the rest at the stop, and its worker ID stays taken', async () => {
    const { workerId, fencingToken, untilMs } = await pastProcess();
    expect(row(workerId)).toBe(`${untilMs} ${fencingToken}`);
    expect(readdirSync(folder)).toEqual(['window']);
  });

  it('continues in the rest, above the last timestamp used, when the store is unreachable', async () => {
    const { workerId, fencingToken, untilMs, lastUsedMs } = await pastProcess();
    isAway = true;
    const next = await newProcess();
    expect(await acquire(next, requestOf(2))).toEqual({
      outcome: 'new',
      workerId,
      fencingToken,
      untilMs,
      fromMs: lastUsedMs,
      storeNowMs: clock.now(),
    });
    expect(readdirSync(folder)).toEqual([]);
    await expect((await newProcess()).lease(requestOf(3))).rejects.toThrow('is away');
    expect(warnings).toEqual([expect.stringContaining(`worker ID ${workerId}, until `)]);
  });

  it('continues in its own rest when it is opened again, although the description of its store has become exact', async () => {
    const store = await newProcess();
    const { workerId, fencingToken } = await acquire(store);
    expect(store.description).toContain('schema "public"');
    await store.release({ workerId, fencingToken, lastUsedMs: clock.now() + 10 });
    isAway = true;
    await store.open?.({ callTimeoutMs: 1000, warn: (message) => warnings.push(message) });
    expect(await acquire(store, requestOf(2))).toMatchObject({ workerId, fencingToken });
  });

  it('releases nothing whose rest it leaves, though it holds another lease by then', async () => {
    const store = await newProcess();
    const { workerId, fencingToken, untilMs } = await acquire(store);
    const old = { workerId, fencingToken, lastUsedMs: clock.now() };
    const left = store.release(old);
    await acquire(store, requestOf(2, { preferLongestOffline: true }));
    await expect(store.release(old)).rejects.toThrow('is not released');
    await expect(left).resolves.toEqual({ outcome: 'released', reservedUntilMs: untilMs });
    expect(row(workerId)).toBe(`${untilMs} ${fencingToken}`);
  });

  it.each<[string, boolean]>([
    ['the store has given up', false],
    ['the file is in its hands', true],
  ])(
    'leaves the rest for the next process when the one that asks for it stops before %s',
    async (_, isConsumed) => {
      const past = await pastProcess();
      isAway = true;
      const store = await newProcess();
      if (isConsumed) closeOnceConsumed(store);
      const lease = store.lease(requestOf(2));
      if (!isConsumed) await store.close();
      await expect(lease).rejects.toThrow('is away');
      expect(warnings).toEqual([]);
      expect(readdirSync(folder)).toEqual(['window']);
      expect(await acquire(await newProcess(), requestOf(3))).toMatchObject({
        fencingToken: past.fencingToken,
        fromMs: past.lastUsedMs,
      });
    },
  );

  /** Closes the store when it has consumed the file, and before it knows that. */
  function closeOnceConsumed(store: LeaseStore): void {
    const inside = Reflect.get(store, 'file') as { consume: () => Promise<unknown> };
    const { consume } = inside;
    inside.consume = async () => {
      const found = await consume.call(inside);
      await store.close();
      return found;
    };
  }

  it('never releases what came from disk, though it holds another lease by then', async () => {
    const { workerId, fencingToken, untilMs } = await pastProcess();
    isAway = true;
    const next = await newProcess();
    await acquire(next, requestOf(2));
    isAway = false;
    await acquire(next, requestOf(3, { preferLongestOffline: true }));
    await expect(next.release({ workerId, fencingToken, lastUsedMs: clock.now() })).rejects.toThrow(
      'is not released',
    );
    expect(row(workerId)).toBe(`${untilMs} ${fencingToken}`);
  });

  it.each([
    ['a little', 0, -15],
    ['by most of the window', 3_000_000, -2_999_000],
    ['not at all', 0, 0],
  ])('never goes below the last timestamp used, when the clock went back %s', async (_, passMs, stepMs) => {
    const { lastUsedMs } = await pastProcess(5000);
    isAway = true;
    clock.freeze(passMs);
    clock.step(stepMs);
    expect((await acquire(await newProcess(), requestOf(2))).fromMs).toBe(lastUsedMs);
  });

  it('prefers a lease of the store, and throws the rest away', async () => {
    const past = await pastProcess();
    const next = await newProcess();
    const grant = await acquire(next, requestOf(2));
    expect(grant.workerId).not.toBe(past.workerId);
    expect(asked.map(({ claim }) => claim)).toEqual([undefined]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes the rest when the store has no worker ID to give', async () => {
    const past = await pastProcess();
    const full = requestOf(2, { workerCount: 1, layout: 'contract layout' });
    expect(await acquire(await newProcess(), full)).toMatchObject({ fencingToken: past.fencingToken });
  });

  it('takes the rest when the store has lost its history, and does not trust that it is new', async () => {
    const past = await pastProcess();
    registry.wipe();
    const next = await newProcess();
    expect(await acquire(next, requestOf(2))).toMatchObject({ fencingToken: past.fencingToken });
    expect(asked.map(({ assumeNew }) => assumeNew)).toEqual([false]);
    const kept = await next.lease(renewalOf(past, 3, { assumeNew: false }));
    expect(kept).toMatchObject({ outcome: 'kept' });
    expect(asked.map(({ claim }) => claim?.fencingToken)).toEqual([undefined, undefined, past.fencingToken]);
  });

  it('never releases a grant from disk, although renewals have changed its fencing token', async () => {
    const past = await pastProcess();
    registry.wipe();
    const next = await newProcess();
    await acquire(next, requestOf(2));
    const kept = await next.lease(renewalOf(past, 3, { assumeNew: false }));
    if (kept.outcome !== 'kept') throw new Error(`expected a renewal: ${kept.outcome}`);
    await acquire(next, requestOf(4, { assumeNew: false, ignoreLoss: true }));
    const { workerId } = past;
    const { fencingToken } = kept;
    expect(fencingToken).not.toBe(past.fencingToken);
    const before = row(workerId);
    await expect(next.release({ workerId, fencingToken, lastUsedMs: clock.now() })).rejects.toThrow(
      'is not released',
    );
    expect(row(workerId)).toBe(before);
  });

  it('leaves no rest on disk of a lease that a copy of the process has', async () => {
    const store = await newProcess();
    const grant = await acquire(store);
    await store.lease(renewalOf(grant, 2));
    expect(await store.lease(renewalOf(grant, 3))).toMatchObject({ outcome: 'copied' });
    const { workerId, fencingToken } = grant;
    expect(await store.release({ workerId, fencingToken, lastUsedMs: clock.now() })).toEqual({
      outcome: 'gone',
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('gets a lease of its own as soon as the store is back, without showing the fencing token from disk', async () => {
    const past = await pastProcess();
    isAway = true;
    const next = await newProcess();
    await acquire(next, requestOf(2));
    await expect(next.lease(renewalOf(past, 3))).rejects.toThrow('is away');
    isAway = false;
    asked = [];
    const own = await next.lease(renewalOf(past, 3, { retry: true }));
    expect(own).toMatchObject({ outcome: 'new', workerId: 1 });
    expect(asked.map(({ claim }) => claim)).toEqual([undefined]);
    expect(await next.lease(renewalOf(own as Granted, 4))).toMatchObject({ outcome: 'kept' });
    expect(asked.at(-1)?.claim?.fencingToken).toBe((own as Granted).fencingToken);
  });

  it('gives the rest out again when a reply was lost, and never once it is in use', async () => {
    const past = await pastProcess();
    isAway = true;
    const next = await newProcess();
    const first = await acquire(next, requestOf(2));
    expect(await acquire(next, requestOf(2, { retry: true }))).toEqual(first);
    // Another nonce: the grant was adopted, and this asks for another worker ID after a clock rollback.
    await expect(next.lease(requestOf(3, { preferLongestOffline: true }))).rejects.toThrow('is away');
    expect(first.fencingToken).toBe(past.fencingToken);
  });

  it('takes the rest when the store stays silent until the deadline, while the caller still waits', async () => {
    const { fencingToken } = await pastProcess();
    isSilent = true;
    const store = await newProcess();
    const caller = new StoreCaller(store, clock);
    const call = caller.call((deadline) => store.lease(requestOf(2), deadline), 1000);
    while (asked.length === 0) await nextTurn();
    await clock.advance(1000);
    expect(await call).toMatchObject({ outcome: 'new', fencingToken });
  });

  it('passes a window from process to process while the store is unreachable', async () => {
    const { workerId, fencingToken, untilMs, lastUsedMs } = await pastProcess();
    isAway = true;
    let fromMs = lastUsedMs;
    for (let process = 2; process < 6; process++) {
      const store = await newProcess();
      expect(await acquire(store, requestOf(process))).toMatchObject({
        workerId,
        fencingToken,
        fromMs,
        untilMs,
      });
      fromMs += 1000;
      expect(await store.release({ workerId, fencingToken, lastUsedMs: fromMs })).toEqual({
        outcome: 'released',
        reservedUntilMs: untilMs,
      });
    }
  });

  it('releases a worker ID that is not the one in use', async () => {
    const store = await newProcess();
    const old = await acquire(store);
    const { workerId } = await acquire(store, requestOf(2));
    const release = { workerId: old.workerId, fencingToken: old.fencingToken, lastUsedMs: clock.now() };
    expect(await store.release(release)).toEqual({ outcome: 'released' });
    expect(row(old.workerId)).toBe(`${clock.now()} `);
    expect(workerId).not.toBe(old.workerId);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps the window as it was extended', async () => {
    const store = await newProcess();
    const grant = await acquire(store);
    clock.freeze(60_000);
    await store.lease(renewalOf(grant, 2));
    const { workerId, fencingToken } = grant;
    expect(await store.release({ workerId, fencingToken, lastUsedMs: clock.now() })).toEqual({
      outcome: 'released',
      reservedUntilMs: clock.now() + WINDOW_MS,
    });
  });

  it.each<[string, () => void | Promise<void>, Partial<LeaseRequest>, string, string]>([
    ['has ended', () => clock.freeze(WINDOW_MS), {}, 'shop', 'ended at 2026-01-01T01:00:00.000Z'],
    [
      'ends too late for a clock that went back',
      () => clock.step(-7_200_000),
      {},
      'shop',
      'claims to end at',
    ],
    ['belongs to another namespace', () => undefined, {}, 'audit', 'belongs to memory namespace "shop"'],
    [
      'belongs to another layout',
      () => undefined,
      { layout: 'l2' },
      'shop',
      'under the layout "contract layout"',
    ],
    ['is out of range', () => undefined, { firstWorkerId: 1, workerCount: 2 }, 'shop', 'is for worker ID 0'],
    ['is damaged', () => writeFileSync(file, 'nestjs-snowflake window 1\n{}\n'), {}, 'shop', 'is damaged'],
    ['is a copy', () => copyOver(), {}, 'shop', 'is a copy'],
    ['is not its own', () => writeFileSync(file, 'precious'), {}, 'shop', 'is not a file of this library'],
  ])('refuses a file that %s, with one warning', async (_, change, differing, namespace, problem) => {
    await pastProcess();
    await change();
    isAway = true;
    const store = await newProcess(namespace);
    const request = requestOf(2, differing);
    await expect(store.lease(request)).rejects.toThrow('is away');
    await expect(store.lease({ ...request, retry: true })).rejects.toThrow('is away');
    expect(warnings).toEqual([expect.stringContaining(problem)]);
    expect(warnings[0]).toContain(file);
  });

  function copyOver(): void {
    const text = readFileSync(file);
    rmSync(file);
    writeFileSync(file, text);
  }

  it("leaves another program's file as it is, and releases the worker ID", async () => {
    writeFileSync(file, 'precious');
    const store = await newProcess();
    const { workerId, fencingToken } = await acquire(store);
    const lastUsedMs = clock.now();
    expect(await store.release({ workerId, fencingToken, lastUsedMs })).toEqual({ outcome: 'released' });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(warnings.at(-1)).toContain('is released instead');
  });

  it('releases the worker ID when the disk does not take the rest', async () => {
    const store = await newProcess();
    const { workerId, fencingToken } = await acquire(store);
    rmSync(folder, { recursive: true });
    expect(await store.release({ workerId, fencingToken, lastUsedMs: clock.now() })).toEqual({
      outcome: 'released',
    });
    expect(warnings).toEqual([expect.stringMatching(/could not be kept.*ENOENT.*is released instead/)]);
    expect(row(workerId)).toBe(`${clock.now()} `);
  });

  it('releases nothing when the next process may have the rest already', async () => {
    const store = await newProcess();
    const { workerId, fencingToken, untilMs } = await acquire(store);
    // What cannot be replaced by a file.
    mkdirSync(file);
    writeFileSync(join(file, 'full'), '');
    const sight = blindfold(store);
    await expect(store.release({ workerId, fencingToken, lastUsedMs: clock.now() })).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_UNAVAILABLE',
    });
    sight.restore();
    expect(row(workerId)).toBe(`${untilMs} ${fencingToken}`);
  });

  /** From now on the store sees no file: one that came after it had looked. */
  function blindfold(store: LeaseStore): { restore: () => void } {
    const inside = Reflect.get(store, 'file') as { look: () => Promise<unknown> };
    const { look } = inside;
    inside.look = async () => ({ kind: 'absent' });
    return { restore: () => void (inside.look = look) };
  }

  it('releases the worker ID when its window is over', async () => {
    const store = await newProcess();
    const { workerId, fencingToken } = await acquire(store);
    clock.freeze(WINDOW_MS + 1);
    expect(await store.release({ workerId, fencingToken, lastUsedMs: 1 })).toEqual({ outcome: 'released' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses to start where the file cannot be kept', async () => {
    const store = withLocalWindow(distantStore('shop'), { file: join(folder, 'none', 'window'), clock });
    await expect(store.open?.({ callTimeoutMs: 1000 })).rejects.toMatchObject({
      code: 'SNOWFLAKE_INVALID_OPTION',
      option: 'localWindow.file',
      value: join(folder, 'none', 'window'),
      problem: expect.stringContaining('ENOENT'),
    });
  });

  it.each([
    [{}, 'localWindow.file'],
    [{ file: '' }, 'localWindow.file'],
    [{ file: 5 }, 'localWindow.file'],
    [{ file: 'a\0b' }, 'localWindow.file'],
    [{ file: 'a', path: 'b' }, 'localWindow.path'],
    [undefined, 'localWindow'],
  ])('refuses the options %j', (options, option) => {
    expect(() => withLocalWindow(distantStore('shop'), options as { file: string })).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option }),
    );
  });

  it('refuses a store without windows', () => {
    expect(() => withLocalWindow(staticLeaseStore({ workerId: 1 }), { file })).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'localWindow.store' }),
    );
  });
});
