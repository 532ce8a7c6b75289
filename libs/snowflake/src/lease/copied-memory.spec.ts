import { atOnce } from '../../../../test/support/at-once.js';
import type { LeaseHolder } from '../../../../test/support/leases/lease-holder.js';
import { LeaseWorld } from '../../../../test/support/leases/lease-world.js';
import { LeaseExhaustedError } from '../core/errors/issuing-errors.js';
import { fromOfFencingToken } from './fencing-token.js';
import type { LeaseReply } from './lease-store.js';

const WINDOW_MS = 60_000;

/** Processes of which two have the same lease, as after a snapshot of a virtual machine was resumed twice. */
class CopiedWorld extends LeaseWorld {
  /** Starts a process whose memory has the lease of another one. */
  async copyOf(original: LeaseHolder): Promise<LeaseHolder> {
    const { workerId } = original.issue();
    const [untilMs, fencingToken = ''] = this.row(workerId)?.split(' ') ?? [];
    const lease: LeaseReply = {
      outcome: 'new',
      workerId,
      fencingToken,
      fromMs: fromOfFencingToken(fencingToken) ?? 0,
      untilMs: Number(untilMs),
      // When it was granted: a lease of which less is left would be renewed at once.
      storeNowMs: Number(untilMs) - WINDOW_MS,
    };
    const { answer } = this.store;
    this.store.answer = () => {
      this.store.answer = answer;
      return lease;
    };
    const copy = await this.started();
    copy.clock.step(original.clock.now() - copy.clock.now());
    return copy;
  }

  /** Lets time pass, in which all processes generate IDs. Returns how many of these IDs were made twice. */
  async repeatedIn(ms: number): Promise<number> {
    const before = this.holders.map(({ ids }) => ids.length);
    for (let passed = 0; passed < ms; passed += 500) {
      for (const holder of this.holders) if (holder.generator.canIssue) holder.issue();
      await this.advance(500, 500);
    }
    const made = this.holders.flatMap(({ ids }, index) => ids.slice(before[index]));
    return made.length - new Set(made).size;
  }
}

describe('a process whose memory exists twice [promise: unique]', () => {
  let world: CopiedWorld;
  beforeEach(() => (world = new CopiedWorld()));

  it('repeats IDs until the next renewal of one copy at most, and never again', async () => {
    const one = await world.started();
    const copy = await world.copyOf(one);
    expect(await world.repeatedIn(WINDOW_MS / 4)).toBeGreaterThan(0);
    expect(await world.repeatedIn(10 * WINDOW_MS)).toBe(0);
    expect([one, copy].map((each) => each.issue().workerId).sort()).toEqual([0, 1]);
  });

  it('repeats IDs in every window if the store lets the fencing token stay as it is (control)', async () => {
    world.store.answer = ({ claim, windowMs }) => {
      const storeNowMs = world.store.clock.now();
      return claim && { ...claim, outcome: 'kept', untilMs: storeNowMs + windowMs, storeNowMs };
    };
    await world.copyOf(await world.started());
    for (let windows = 0; windows < 5; windows++)
      expect(await world.repeatedIn(WINDOW_MS)).toBeGreaterThan(100);
  });

  it('reports the copy in the one that renews second, which has another worker ID at once', async () => {
    const one = await world.started();
    const copy = await world.copyOf(one);
    await world.repeatedIn(WINDOW_MS / 4);
    const [first, second] = one.eventsOf('copied').length === 0 ? [one, copy] : [copy, one];
    expect(first.events.map(({ type }) => type)).not.toContain('copied');
    expect(second.eventsOf('copied')).toEqual([
      { type: 'copied', workerId: 0, lastUsedMs: expect.any(Number) },
    ]);
    expect(second.eventsOf('lost')).toEqual([]);
    expect(second.eventsOf('acquired').at(-1)).toMatchObject({
      cause: 'copied',
      previousWorkerId: 0,
      workerId: 1,
    });
    expect(second.keeper.currentState()).toBe('active');
  });

  it('generates no ID between the refusal and the next worker ID, however long that takes', async () => {
    world = new CopiedWorld({ lease: { workerCount: 1 } });
    const one = await world.started();
    const copy = await world.copyOf(one);
    await world.repeatedIn(WINDOW_MS / 4);
    const refused = one.eventsOf('copied').length > 0 ? one : copy;
    expect(() => refused.issue()).toThrow(LeaseExhaustedError);
    expect(refused.keeper.currentState()).toBe('exhausted');
    expect(await world.repeatedIn(5 * WINDOW_MS)).toBe(0);
    const other = refused === one ? copy : one;
    await world.advance(100);
    const stopped = other.keeper.stop();
    await world.advance(5000);
    await atOnce(stopped);
    expect(refused.issue().workerId).toBe(0);
  });

  it('does not release the worker ID that the other copy has renewed', async () => {
    const one = await world.started();
    const copy = await world.copyOf(one);
    const renewed = one.keeper.renew();
    await world.advance(100);
    await atOnce(renewed);
    const row = world.row(0);
    const stopped = copy.keeper.stop();
    await world.advance(1000);
    await atOnce(stopped);
    expect(world.row(0)).toBe(row);
    expect(copy.events.map(({ type }) => type)).not.toContain('released');
    expect(one.issue().workerId).toBe(0);
  });

  it('is recognized after an outage in which both copies have tried to renew', async () => {
    const one = await world.started();
    const copy = await world.copyOf(one);
    world.store.fault = 'unreachable';
    await world.advance(WINDOW_MS / 2, 500);
    world.store.fault = 'none';
    await world.repeatedIn(2000);
    expect(await world.repeatedIn(5 * WINDOW_MS)).toBe(0);
    expect([...one.eventsOf('copied'), ...copy.eventsOf('copied')]).toHaveLength(1);
  });
});

describe('a process whose memory exists once [promise: unique]', () => {
  it.each([1, 5, 100])('keeps its lease when the replies to %d renewals are lost', async (count) => {
    const world = new LeaseWorld();
    const holder = await world.started({ lease: { callTimeoutMs: 200 } });
    world.store.fault = 'reply lost';
    const sent = world.store.requests.length;
    while (world.store.requests.length < sent + count) await world.advance(500);
    world.store.fault = 'none';
    await world.advance(WINDOW_MS, 500);
    expect(holder.issue().workerId).toBe(0);
    expect(holder.eventsOf('acquired')).toHaveLength(1);
    expect(holder.eventsOf('copied')).toEqual([]);
  });

  it('shows a new nonce in each attempt to renew, and all earlier ones until a reply comes', async () => {
    const world = new LeaseWorld();
    await world.started();
    world.store.fault = 'reply lost';
    await world.advance(15_000);
    world.store.fault = 'none';
    await world.advance(15_000);
    const renewals = world.store.requests.filter(({ claim }) => claim);
    const lengths = renewals.map(({ attempts = [] }) => attempts.length);
    const longest = Math.max(...lengths);
    expect(lengths.slice(0, longest)).toEqual(Array.from({ length: longest }, (_, index) => index + 1));
    expect(lengths.slice(longest)).toEqual(lengths.slice(longest).map(() => 1));
    const own = renewals.map(({ attempts = [] }) => attempts[0]);
    expect(new Set(own).size).toBe(own.length);
  });

  it('keeps its lease when the store goes on with an older copy of its row', async () => {
    const world = new LeaseWorld();
    const holder = await world.started();
    await world.advance(15_000, 500);
    const fields = new Map(world.store.registry.fields);
    await world.advance(25_000, 500);
    for (const [field, value] of fields) world.store.registry.fields.set(field, value);
    await world.advance(60_000, 500);
    expect(holder.issue().workerId).toBe(0);
    expect([...holder.eventsOf('copied'), ...holder.eventsOf('lost')]).toEqual([]);
  });
});
