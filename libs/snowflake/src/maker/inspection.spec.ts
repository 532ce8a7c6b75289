import { inspect } from 'node:util';
import { atOnce } from '../../../../test/support/at-once.js';
import { systemClock } from '../core/clock/system-clock.js';
import { prefixedCodec } from '../core/codecs/prefixed-codec.js';
import { base62Codec } from '../core/codecs/radix-codecs.js';
import { StoreUnavailableError } from '../core/errors/lease-errors.js';
import { IdGenerator } from '../core/generator/generator.js';
import { IdDecoder } from '../core/ids/decoder.js';
import { BitLayout } from '../core/layout/bit-layout.js';
import { layoutPresets } from '../core/layout/presets.js';
import type { LeaseEvent } from '../lease/lease-events.js';
import type { LeaseStore, RegistrySnapshot } from '../lease/lease-store.js';
import { registryOverview } from '../lease/registry-overview.js';
import { VirtualClock } from '../stores/port/virtual-clock.js';
import { staticLeaseStore } from '../stores/fixed/fixed-worker-ids.js';
import { memoryLeaseStore } from '../stores/memory/memory-lease-store.js';
import { MemoryRegistry } from '../stores/memory/memory-registry.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';

const lease = { possibleLoss: 'ignore' as const };

/** A maker whose store reads its registry as the spec says, and counts how often. */
function world(read?: (inner: LeaseStore) => Promise<RegistrySnapshot>) {
  const clock = new VirtualClock();
  const inner = memoryLeaseStore({ clock, registry: new MemoryRegistry() });
  const seen = { reads: 0, reconnects: 0 };
  const store: LeaseStore = {
    description: inner.description,
    renewable: true,
    lease: (request) => inner.lease(request),
    release: (request) => inner.release(request),
    reconnect: () => void (seen.reconnects += 1),
    inspect: () => {
      seen.reads += 1;
      return read ? read(inner) : inner.inspect();
    },
    close: () => inner.close(),
  };
  const maker = new SnowflakeIdMaker({ store, lease, holderName: 'web-1' }, { clock });
  return { clock, maker, seen };
}

describe('inspect()', () => {
  it('shows who holds which worker ID', async () => {
    const { maker } = world();
    await atOnce(maker.start());
    const { counts, first, total, workers } = registryOverview(await maker.inspect());
    expect({ counts, first, total }).toEqual({
      counts: { held: 1, offline: 0, released: 0, reserved: 0 },
      first: 0,
      total: 1024,
    });
    const held = expect.objectContaining({ workerId: 0, holder: 'web-1', state: 'held' });
    expect(workers).toEqual([held]);
    await atOnce(maker.renew());
    const renewed = registryOverview(await maker.inspect()).workers;
    expect(renewed).toEqual([held]);
    expect(renewed[0]?.fencingToken).not.toBe(workers[0]?.fencingToken);
    await atOnce(maker.stop());
  });

  it('changes nothing that it reads', async () => {
    const { maker } = world();
    await atOnce(maker.start());
    const before = await maker.inspect();
    expect((await maker.inspect()).rows).toEqual(before.rows);
    await atOnce(maker.stop());
  });

  it('shows a fixed worker ID, too', async () => {
    const maker = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
    await atOnce(maker.start());
    expect((await maker.inspect()).rows).toEqual([expect.objectContaining({ workerId: 7 })]);
    await atOnce(maker.stop());
  });

  it('refuses before the store is open, and after the stop', async () => {
    const { maker } = world();
    await expect(maker.inspect()).rejects.toMatchObject({ code: 'SNOWFLAKE_NOT_READY' });
    await atOnce(maker.start());
    await atOnce(maker.stop());
    await expect(maker.inspect()).rejects.toMatchObject({ code: 'SNOWFLAKE_STOPPED' });
  });

  it('asks the store once for calls that overlap', async () => {
    const { maker, seen } = world();
    await atOnce(maker.start());
    const [one, two] = await Promise.all([maker.inspect(), maker.inspect()]);
    expect(one).toBe(two);
    await maker.inspect();
    expect(seen.reads).toBe(2);
    await atOnce(maker.stop());
  });

  it('gives up on a store that does not answer, and leaves its connection and the lease alone', async () => {
    const { clock, maker, seen } = world(() => new Promise(() => undefined));
    await atOnce(maker.start());
    for (let call = 0; call < 3; call++) {
      const inspected = maker.inspect().catch((error: unknown) => error);
      await clock.advance(20_000);
      expect(await inspected).toMatchObject({ code: 'SNOWFLAKE_STORE_UNAVAILABLE' });
    }
    expect(seen.reconnects).toBe(0);
    expect(maker.status()).toMatchObject({ failedCalls: {}, lastError: undefined });
    expect(maker.canIssue).toBe(true);
    await atOnce(maker.stop());
  });

  it.each<[string, () => Promise<RegistrySnapshot>]>([
    ['rejects with a foreign error', () => Promise.reject(new Error('boom'))],
    [
      'throws at once',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects with an error of the library', () => Promise.reject(new StoreUnavailableError('boom'))],
  ])('rejects with a typed error if the store %s', async (_how, read) => {
    const { maker } = world(read);
    await atOnce(maker.start());
    await expect(maker.inspect()).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_UNAVAILABLE' });
    await atOnce(maker.stop());
  });
});

const SECRET = 'hunter2';

/** A store of an app, which keeps its password in the open. */
function ownStore(changes: Partial<LeaseStore> = {}): LeaseStore & { readonly password: string } {
  const inner = memoryLeaseStore({ registry: new MemoryRegistry() });
  return {
    password: SECRET,
    description: 'own store',
    renewable: true,
    lease: (request) => inner.lease(request),
    release: (request) => inner.release(request),
    inspect: () => inner.inspect(),
    close: () => inner.close(),
    ...changes,
  };
}

describe('an ID maker that is printed', () => {
  it('shows its status, and nothing of the store that it holds', async () => {
    const ids = new SnowflakeIdMaker({ store: ownStore(), lease });
    await atOnce(ids.start());
    expect(inspect(ids)).toMatch(
      /^SnowflakeIdMaker \{\s+state: 'active',\s+store: 'own store',\s+workerId: 0,/,
    );
    expect(inspect({ ids }, { depth: Infinity, showHidden: true, getters: true })).not.toContain(SECRET);
    expect(JSON.parse(JSON.stringify({ ids }))).toEqual({ ids: JSON.parse(JSON.stringify(ids.status())) });
    expect(inspect(ids, { customInspect: false, depth: 3, showHidden: true })).not.toContain(SECRET);
    // Control: the store itself shows it.
    expect(inspect({ ids: { store: ownStore() } }, { depth: 3 })).toContain(SECRET);
    await atOnce(ids.stop());
  });
});

describe('a store of an app', () => {
  it('refuses a store that calls itself by a URL with a password', () => {
    const store = ownStore({ description: `redis://app:${SECRET}@db` });
    expect(() => new SnowflakeIdMaker({ store })).toThrow(
      expect.objectContaining({ option: 'store.description', value: '(not shown)' }),
    );
  });

  it('shows the URL in a warning without its password', async () => {
    const events: LeaseEvent[] = [];
    const store = ownStore({ open: ({ warn }) => warn?.(`falls back to redis://app:${SECRET}@db`) });
    const ids = new SnowflakeIdMaker({ store, lease });
    ids.subscribe((event) => events.push(event));
    await atOnce(ids.start());
    await atOnce(ids.stop());
    expect(events).toContainEqual({ type: 'warning', message: 'falls back to redis://***@db' });
  });

  it.each(['open', 'lease'] as const)('removes a password from the error of a store: %s', async (method) => {
    const fail = async (): Promise<never> => {
      throw Object.assign(new TypeError('refused'), { config: { password: SECRET } });
    };
    const ids = new SnowflakeIdMaker({
      store: ownStore({ [method]: fail }),
      lease: { ...lease, acquireTimeoutMs: 1 },
    });
    const error: unknown = await ids.start().catch((thrown: unknown) => thrown);
    expect(error).toHaveProperty('message', expect.stringContaining('own store failed: refused'));
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain(SECRET);
  });
});

const HOUR_MS = 3_600_000;

/** A member that outside code can write to, and how it got there: `layout.fields.0.bits`. */
interface Opening {
  readonly path: string;
  readonly holder: object;
  readonly name: string | symbol;
}

/** Every own property that can be written, and every setter, of an object and of what can be reached through it. */
function openingsOf(root: object): Opening[] {
  const seen = new Set<object>();
  const visit = (holder: object, path: string): Opening[] => {
    if (seen.has(holder)) return [];
    seen.add(holder);
    return membersOf(holder).flatMap(({ name, isWritable, value }) => {
      const own = { path: `${path}${String(name)}`, holder, name };
      const below = typeof value === 'object' && value !== null ? visit(value, `${own.path}.`) : [];
      return isWritable ? [own, ...below] : below;
    });
  };
  return visit(root, '');
}

interface Member {
  readonly name: string | symbol;
  readonly isWritable: boolean;
  readonly value: unknown;
}

/** Own properties, and the accessors of the classes. Methods of classes are not state. */
function membersOf(holder: object): Member[] {
  const members: Member[] = [];
  for (
    let at: object | null = holder;
    at && at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object
  ) {
    for (const name of Reflect.ownKeys(at)) {
      const { set, get, writable } = Object.getOwnPropertyDescriptor(at, name) ?? {};
      const isAccessor = set !== undefined || get !== undefined;
      if (at !== holder && !isAccessor) continue;
      const isWritable = isAccessor ? set !== undefined : writable === true;
      members.push({ name, isWritable, value: Reflect.get(at, name, holder) as unknown });
    }
  }
  return members;
}

function pathsInto(root: object): string[] {
  return openingsOf(root).map(({ path }) => path);
}

function heldGenerator(Generator = IdGenerator) {
  const clock = new VirtualClock();
  const generator = new Generator(new BitLayout(), clock);
  const nowMs = clock.now();
  const untilMs = nowMs + HOUR_MS;
  generator.adopt({ workerId: 1, fromMs: nowMs - 1, untilMs, clockTimeUntilMs: untilMs });
  return generator;
}

/** Writes each value into each opening and keeps issuing. @returns how many IDs occurred twice */
function repeatsAfterTampering(generator: IdGenerator): number {
  const ids: bigint[] = [];
  const issue = (): void => {
    try {
      for (let at = 0; at < 5; at++) ids.push(generator.nextBigInt());
    } catch {
      // A generator that stops issuing keeps its guarantee.
    }
  };
  issue();
  for (const { holder, name } of openingsOf(generator)) {
    const before: unknown = Reflect.get(holder, name);
    for (const value of [0, -1, 1, Number.MAX_SAFE_INTEGER]) {
      Reflect.set(holder, name, value);
      issue();
    }
    Reflect.set(holder, name, before);
  }
  return ids.length - new Set(ids).size;
}

describe('what outside code can write to', () => {
  const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 3 }) });
  beforeAll(() => ids.start());
  afterAll(() => ids.stop());

  it.each<[string, () => object]>([
    ['an ID maker', () => ids],
    ['a generator', () => heldGenerator()],
    ['a bit layout', () => ids.layout],
    ['the presets', () => layoutPresets],
    ['the system clock', () => systemClock],
    ['a codec', () => base62Codec()],
    ['a codec around another one', () => prefixedCodec('ord')],
  ])('lets outside code write to nothing of %s', (_what, make) => {
    expect(pathsInto(make())).toEqual([]);
  });

  it('reuses the scratch space of a decoder at each call', () => {
    const decoder = new IdDecoder(new BitLayout());
    const id = ids.nextBigInt();
    const before = decoder.decode(id).toJSON();
    const openings = openingsOf(decoder);
    expect(openings).not.toEqual([]);
    expect(openings.every(({ holder }) => ArrayBuffer.isView(holder))).toBe(true);
    for (const { holder, name } of openings) {
      Reflect.set(holder, name, holder instanceof BigUint64Array ? 1n : 1);
      expect(decoder.decode(id).toJSON()).toEqual(before);
    }
  });

  it('returns a copy as the status', () => {
    const status = ids.status() as { workerId?: number };
    status.workerId = 4;
    expect(ids.status().workerId).toBe(3);
    expect(ids.decode(ids.nextId()).workerId).toBe(3);
  });

  it('voids no guarantee of a generator', () => {
    expect(repeatsAfterTampering(heldGenerator())).toBe(0);
  });

  it('breaks a sealed generator if the tick is open to all (control)', () => {
    class OpenGenerator extends IdGenerator {
      readonly tick = { last: -1 };

      override nextBigInt(): bigint {
        this.tick.last += 1;
        return BigInt(this.tick.last);
      }
    }
    expect(pathsInto(heldGenerator(OpenGenerator))).toEqual(['tick', 'tick.last']);
    expect(repeatsAfterTampering(heldGenerator(OpenGenerator))).toBeGreaterThan(0);
  });
});
