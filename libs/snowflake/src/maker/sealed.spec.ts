import { base62Codec } from '../core/codecs/radix-codecs.js';
import { prefixedCodec } from '../core/codecs/prefixed-codec.js';
import { BitLayout } from '../core/layout/bit-layout.js';
import { IdDecoder } from '../core/ids/decoder.js';
import { IdGenerator } from '../core/generator/generator.js';
import { layoutPresets } from '../core/layout/presets.js';
import { systemClock } from '../core/clock/system-clock.js';
import { staticLeaseStore } from '../stores/fixed/fixed-worker-ids.js';
import { VirtualClock } from '../store-testing/virtual-clock.js';
import { SnowflakeIdMaker } from './snowflake-id-maker.js';

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
