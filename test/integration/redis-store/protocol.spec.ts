import type { LeaseReply, LeaseRequest } from '../../../libs/snowflake/src/lease/lease-store.js';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { claimOf, granted, MAX_SKEW_MS, request as anyRequest, WINDOW_MS, type Granted } from './requests.js';
import { VirtualServer } from './virtual-server.js';

const START_MS = Date.UTC(2026, 0, 1);
const WAIT_MS = WINDOW_MS + MAX_SKEW_MS;

let server: RedisServer;
let virtual: VirtualServer;
let nowMs: number;
let namespaces = 0;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());
beforeEach(() => use());
afterEach(() => virtual.close());

async function use(alterLease?: (text: string) => string): Promise<void> {
  namespaces += 1;
  virtual = new VirtualServer(server, `protocol-${namespaces}`, alterLease);
  await at(START_MS);
}

async function at(ms: number, replicationId = 'first', runId = 'run1'): Promise<void> {
  nowMs = ms;
  await virtual.become({ nowMs, historyId: `${replicationId}/${runId}` });
}

const request = (nonce: string, changes?: Partial<LeaseRequest>): LeaseRequest =>
  anyRequest(nonce, { workerCount: 3, ...changes });
const lease = (nonce: string, changes?: Partial<LeaseRequest>) =>
  virtual.store.lease(request(nonce, changes));
const first = (nonce: string, changes?: Partial<LeaseRequest>) =>
  lease(nonce, { assumeNew: true, ...changes });

describe('an unknown history [promise: after-loss]', () => {
  it('makes newcomers wait until no lost grant can be in use', async () => {
    const grantsAfterMs = START_MS + WAIT_MS;
    const wait = { outcome: 'wait', reason: 'empty' } as const;
    expect(await lease('a')).toEqual({ ...wait, waitMs: WAIT_MS, storeNowMs: START_MS });
    await at(grantsAfterMs - 10);
    expect(await lease('a')).toEqual({ ...wait, waitMs: 10, storeNowMs: nowMs });
    await at(grantsAfterMs);
    expect(await lease('a')).toEqual({ ...wait, waitMs: 1, storeNowMs: nowMs });
    await at(grantsAfterMs + 1);
    expect(await lease('a')).toMatchObject({
      outcome: 'new',
      workerId: 0,
      fromMs: grantsAfterMs,
      fencingToken: `a@${grantsAfterMs}`,
    });
  });

  it('makes nobody wait if the operator declares the ID space as new', async () => {
    expect(await first('a')).toEqual({
      outcome: 'new',
      workerId: 0,
      fencingToken: `a@${START_MS - 1}`,
      fromMs: START_MS - 1,
      untilMs: START_MS + WINDOW_MS,
      storeNowMs: START_MS,
    });
  });

  it('grants at once to a caller who asserts that nothing was lost, but renews no claim for that', async () => {
    const holder = await granted(first('a'));
    await at(START_MS + 10, 'second');
    expect(await lease('b')).toMatchObject({ outcome: 'wait', reason: 'history' });
    await at(START_MS + 20, 'second');
    const renewal = { ...claimOf(holder), ignoreLoss: true };
    expect(await lease('a2', renewal)).toMatchObject({ outcome: 'kept' });
    expect(await lease('b')).toMatchObject({ outcome: 'wait' });
    const ignoring = await granted(lease('c', { ignoreLoss: true }));
    expect([ignoring.workerId, ignoring.fromMs]).toEqual([1, START_MS + 19]);
    expect(await lease('b')).toMatchObject({ outcome: 'new', workerId: 2 });
  });

  it('ignores the assertion of a new ID space from a caller that has held a lease in it', async () => {
    const grant = await granted(first('a'));
    await virtual.redis.del(virtual.key);
    expect(await first('b', claimOf(grant))).toMatchObject({
      outcome: 'kept',
      untilMs: START_MS + WINDOW_MS,
    });
    expect(await first('c')).toMatchObject({ outcome: 'wait', reason: 'empty' });
  });

  it('begins a history with every new replication ID and run ID, to which assumeNew does not apply', async () => {
    await first('a');
    const wait = { outcome: 'wait', reason: 'history', waitMs: WAIT_MS } as const;
    await at(START_MS + 10, 'second');
    expect(await first('b')).toEqual({ ...wait, storeNowMs: nowMs });
    await at(START_MS + 20, 'third');
    expect(await first('b')).toEqual({ ...wait, storeNowMs: nowMs });
    await at(START_MS + 30, 'third', 'run2');
    expect(await first('b')).toEqual({ ...wait, storeNowMs: nowMs });
    expect((await virtual.store.inspect()).historyId).toBe('third/run2');
  });

  it('lets a holder carry its claim across a wipe, and nobody else take its worker ID', async () => {
    await first('a');
    const holder = await granted(lease('b'));
    await virtual.redis.del(virtual.key);
    await at(START_MS + 10_000);
    const kept = await lease('b2', claimOf(holder));
    expect(kept).toEqual({
      outcome: 'kept',
      fencingToken: `${holder.fencingToken}~1~b2`,
      untilMs: nowMs + WINDOW_MS,
      storeNowMs: nowMs,
    });
    await at(START_MS + 10_000 + WAIT_MS + 1);
    expect(await lease('c')).toMatchObject({ outcome: 'new', workerId: 0 });
    expect(await lease('d')).toMatchObject({ outcome: 'new', workerId: 2 });
  });

  it('gives a forgotten holder no extension once its lost window is nearly over', async () => {
    const holder = await granted(first('a'));
    await virtual.redis.del(virtual.key);
    await at(holder.untilMs - MAX_SKEW_MS + 1);
    expect(await lease('a2', claimOf(holder))).toMatchObject({ outcome: 'wait' });
    await at(holder.untilMs - MAX_SKEW_MS);
    expect(await lease('a2', claimOf(holder))).toMatchObject({ outcome: 'kept' });
  });
});

describe('the other outcomes', () => {
  it('refuses another layout before anything is changed', async () => {
    await first('a');
    const before = await virtual.fields();
    await at(START_MS + 10, 'second');
    expect(await lease('b', { layout: 'other' })).toEqual({ outcome: 'layout', storedLayout: 'layout' });
    expect(await virtual.fields()).toEqual(before);
  });

  it('extends a lease to the latest of the stored end, the claimed end and a new window', async () => {
    const holder = await granted(first('a'));
    const shown = { claim: { ...holder, untilMs: holder.untilMs + 7 } };
    const kept = await lease('b', shown);
    expect(kept).toMatchObject({ outcome: 'kept', untilMs: holder.untilMs + 7 });
    expect(await lease('b', { windowMs: 10 })).toMatchObject({ outcome: 'new', workerId: 1 });
    const renewed = { ...holder, fencingToken: `${holder.fencingToken}~1~b` };
    expect(await lease('c', claimOf(renewed))).toMatchObject({
      outcome: 'kept',
      untilMs: holder.untilMs + 7,
    });
  });

  it('refuses a claim on a worker ID outside the range', async () => {
    const holder = await granted(first('a'));
    const outside = { claim: { ...holder, workerId: 3 } };
    expect(await lease('b', outside)).toMatchObject({ outcome: 'new', workerId: 1 });
  });

  it('returns when the first window ends if all worker IDs are held', async () => {
    await first('a');
    await at(START_MS + 100);
    await lease('b');
    await lease('c');
    expect(await lease('d')).toEqual({ outcome: 'full', nextFreeInMs: WINDOW_MS - 100, storeNowMs: nowMs });
  });

  it('returns the grant of a repeated call again, as long as a holder could renew it', async () => {
    const lost = await granted(first('a'));
    await at(lost.untilMs);
    expect(await lease('a', { retry: true })).toEqual({ ...lost, storeNowMs: nowMs });
    await at(lost.untilMs + 1);
    expect(await lease('a', { retry: true })).toMatchObject({ outcome: 'new', workerId: 1 });
  });

  it('distinguishes a nonce from another one that begins with it', async () => {
    await first('ab');
    expect(await lease('a', { retry: true })).toMatchObject({ outcome: 'new', workerId: 1 });
  });

  it('frees a released worker ID above the last timestamp used, and changes nothing for others', async () => {
    const { workerId, fencingToken } = await granted(first('a'));
    const { store } = virtual;
    expect(await store.release({ workerId, fencingToken: 'a@1', lastUsedMs: nowMs })).toEqual({
      outcome: 'gone',
    });
    expect(await store.release({ workerId: 2, fencingToken, lastUsedMs: nowMs })).toEqual({
      outcome: 'gone',
    });
    expect(await store.release({ workerId, fencingToken, lastUsedMs: nowMs + 5 })).toEqual({
      outcome: 'released',
    });
    expect((await store.inspect()).rows).toEqual([
      { workerId, fencingToken: '', reservedUntilMs: nowMs + 5 },
    ]);
    expect(await store.release({ workerId, fencingToken: '', lastUsedMs: nowMs })).toEqual({
      outcome: 'gone',
    });
    expect(await store.release({ workerId, fencingToken, lastUsedMs: nowMs })).toEqual({ outcome: 'gone' });
  });

  it('never frees timestamps below the start of the grant', async () => {
    const { workerId, fencingToken, fromMs } = await granted(first('a'));
    await virtual.store.release({ workerId, fencingToken, lastUsedMs: 0 });
    expect((await virtual.store.inspect()).rows).toEqual([
      { workerId, fencingToken: '', reservedUntilMs: fromMs },
    ]);
  });
});

describe('the longest maxSkew of all processes [promise: after-loss]', () => {
  const LESS = { maxSkewMs: 100 };

  it('sets `grantsAfter` for a new history, whichever process calls first', async () => {
    await granted(first('a'));
    await at(START_MS - MAX_SKEW_MS, 'second');
    expect(await lease('b', LESS)).toMatchObject({ outcome: 'wait', waitMs: WAIT_MS });
  });

  it('requires of a claim to reach beyond the clock by the longest maxSkew, whichever process shows it', async () => {
    await granted(first('a'));
    const holder = await granted(lease('b', LESS));
    const shown = { ...LESS, ...claimOf(holder) };
    await at(holder.untilMs - MAX_SKEW_MS + 1, 'second');
    expect(await lease('c', shown)).toMatchObject({ outcome: 'wait' });
    await at(holder.untilMs - MAX_SKEW_MS, 'second');
    expect(await lease('c', shown)).toMatchObject({ outcome: 'kept' });
  });

  it('renews what this history has granted, however long the longest maxSkew is', async () => {
    await granted(first('a', { maxSkewMs: 10 * WINDOW_MS }));
    const holder = await granted(lease('b', LESS));
    await at(holder.untilMs);
    expect(await lease('c', { ...LESS, ...claimOf(holder) })).toMatchObject({ outcome: 'kept' });
    await at(holder.untilMs + WINDOW_MS + 1);
    expect(await lease('c', { ...LESS, ...claimOf(holder) })).toMatchObject({ outcome: 'new' });
  });

  it('uses the maxSkew of the caller if an older registry has none (control)', async () => {
    await granted(first('a'));
    await virtual.redis.hdel(virtual.key, 'maxSkew');
    await at(START_MS, 'second');
    expect(await lease('b', LESS)).toMatchObject({ outcome: 'wait', waitMs: WINDOW_MS + 100 });
    expect(await virtual.redis.hget(virtual.key, 'maxSkew')).toBe('100');
  });
});

describe('an unreadable registry', () => {
  beforeEach(async () => {
    for (const nonce of ['a', 'b', 'c']) await first(nonce);
    await at(START_MS + 2 * WINDOW_MS);
  });

  it.each([
    ['grantsAfter', 'soon'],
    ['window', '1e5'],
    ['maxSkew', 'much'],
    ['fresh', '-1'],
    ['1', 'hello'],
    ['2', '17000000000000000 a@1'],
  ])('leaves an unreadable registry as it is: field %s = %j', async (field, stored) => {
    await virtual.redis.hset(virtual.key, field, stored);
    const before = await virtual.fields();
    expect(await lease('d', { windowMs: 2 * WINDOW_MS })).toEqual({ outcome: 'corrupt', field, stored });
    expect(await virtual.fields()).toEqual(before);
    const { rows, unreadable } = await virtual.store.inspect();
    expect(unreadable).toEqual([{ field, stored }]);
    expect(rows.map(({ workerId }) => String(workerId))).toEqual(
      ['0', '1', '2'].filter((id) => id !== field),
    );
  });

  it('repairs no unreadable registry in a new history', async () => {
    await virtual.redis.hdel(virtual.key, 'grantsAfter');
    const before = await virtual.fields();
    await at(nowMs, 'second');
    expect(await lease('d')).toEqual({ outcome: 'corrupt', field: 'grantsAfter', stored: '' });
    expect(await virtual.fields()).toEqual(before);
  });

  it('throws for the claim and for the release of a damaged worker ID', async () => {
    await virtual.redis.hset(virtual.key, '1', 'hello');
    const claim = { workerId: 1, fencingToken: 'b@1', untilMs: nowMs + WINDOW_MS };
    expect(await lease('d', { claim })).toEqual({ outcome: 'corrupt', field: '1', stored: 'hello' });
    const release = virtual.store.release({ workerId: 1, fencingToken: 'b@1', lastUsedMs: nowMs });
    await expect(release).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_CORRUPT', field: '1' });
  });
});

describe('a stuck copy of an old call, executed a window later [promise: unique]', () => {
  /**
   * One worker ID. A acquires and pauses; B acquires and its window ends; then Redis executes a copy of A's first
   * call, which was stuck all the time; then A wakes up and shows its claim.
   */
  async function renewAfterStuckCopy(): Promise<{ reply: LeaseReply; windowOfB: Granted }> {
    const only = { workerCount: 1 };
    const windowOfA = await granted(first('a', only));
    await at(windowOfA.untilMs + 1);
    const windowOfB = await granted(lease('b', only));
    await at(windowOfB.untilMs + 1);
    await granted(lease('a', only));
    return { reply: await lease('a2', { ...only, ...claimOf(windowOfA) }), windowOfB };
  }

  it('makes another fencing token for the stuck copy, and refuses the holder', async () => {
    expect((await renewAfterStuckCopy()).reply).toMatchObject({ outcome: 'full' });
  });

  it('renews the holder over the window of another one without the start of the window in the fencing token (control)', async () => {
    await virtual.close();
    await use((text) => {
      const weakened = text.replace(`nonce .. '@' .. text(from)`, `nonce .. '@1'`);
      expect(weakened).not.toBe(text);
      return weakened;
    });
    const { reply, windowOfB } = await renewAfterStuckCopy();
    // Kept means that A goes on from where it was, and that is before B's window.
    expect(reply).toMatchObject({ outcome: 'kept', untilMs: nowMs + WINDOW_MS });
    expect(nowMs + WINDOW_MS).toBeGreaterThan(windowOfB.untilMs);
  });
});
