import { requireCount, requireTarget } from '../core/generator/batch-checks.js';
import {
  type BitLayout,
  InvalidOptionError,
  layoutOf,
  memoryOf,
  requireOptions,
  StoppedError,
  systemClock,
} from '../core/index.js';
import { LeaseListeners } from '../lease/lease-listeners.js';
import type { LeaseListener, LeaseStore } from '../lease/index.js';
import { SnowflakeIdMaker, type SnowflakeStatus } from '../maker/index.js';
import { FAKE_OPTIONS, type FakeIdMakerOptions, type FakeSequence, fakeSequence } from './fake-options.js';
import { IssuedIds, type IssuedRange } from './issued-ids.js';

/** Is never asked: a fake begins no lease. */
export const NO_STORE: LeaseStore = Object.freeze<LeaseStore>({
  description: 'fake IDs',
  renewable: false,
  lease: () => Promise.reject(new StoppedError()),
  release: () => Promise.resolve({ outcome: 'gone' }),
  inspect: () => Promise.reject(new StoppedError()),
  close: () => Promise.resolve(),
});

/** An ID maker that counts. It is ready at once, holds no lease and reads no clock. */
class FakeIdMaker extends SnowflakeIdMaker {
  readonly #sequence: FakeSequence;
  readonly #issued = memoryOf(FakeIdMaker, IssuedIds);
  readonly #range: IssuedRange;
  readonly #listeners = new LeaseListeners();
  #next: bigint;
  #stopped = false;

  constructor(options: FakeIdMakerOptions, layout: BitLayout) {
    const { epoch, layout: fields } = options;
    // A clock that suits every layout: a test may pretend to be in 1970.
    super(
      { store: NO_STORE, layout: fields, epoch },
      { clock: { ...systemClock, now: () => layout.epochMs } },
    );
    this.#sequence = fakeSequence(options, layout);
    const { first, mayRepeat } = this.#sequence;
    this.#range = this.#issued.begin(first, mayRepeat);
    this.#next = first;
  }

  override nextId(): string {
    return this.#take(1).toString();
  }

  override nextBigInt(): bigint {
    return this.#take(1);
  }

  override nextIds(count: number): string[] {
    return Array.from(this.nextBigInts(count), String);
  }

  override nextBigInts(count: number): BigUint64Array {
    return this.fillBigInts(new BigUint64Array(requireCount(count)));
  }

  override fillBigInts<Target extends BigUint64Array>(target: Target): Target {
    let id = this.#take(requireTarget(target).length);
    for (let at = 0; at < target.length; at++, id += this.#sequence.step) target[at] = id;
    return target;
  }

  override get canIssue(): boolean {
    return !this.#stopped;
  }

  override async ready(): Promise<void> {
    if (this.#stopped) throw new StoppedError();
  }

  override start(): Promise<void> {
    return this.ready();
  }

  override async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#listeners.emit({ type: 'state', from: 'active', to: 'stopped' });
  }

  override nowMs(): number {
    return systemClock.now();
  }

  override status(): SnowflakeStatus {
    const { workerId, datacenterId } = this.decode(this.#sequence.first);
    return {
      ...super.status(),
      state: this.#stopped ? 'stopped' : 'active',
      workerId,
      datacenterId,
      issued: Number((this.#next - this.#sequence.first) / this.#sequence.step),
    };
  }

  override subscribe(listener: LeaseListener): () => void {
    return this.#listeners.subscribe(listener);
  }

  /** Makes `count` IDs, or none. @returns the first of them */
  #take(count: number): bigint {
    if (this.#stopped) throw new StoppedError();
    const first = this.#next;
    if (count === 0) return first;
    const { step, last, first: start } = this.#sequence;
    const end = first + BigInt(count - 1) * step;
    if (end > last) throw usedUp(start, last);
    this.#issued.extend(this.#range, first, end);
    this.#next = end + step;
    return first;
  }
}

function usedUp(start: bigint, last: bigint): InvalidOptionError {
  return new InvalidOptionError(
    'start',
    start,
    `leaves no further ID: the last one is ${last}`,
    'Begin lower, use a smaller step, or make fewer IDs.',
  );
}

/**
 * Makes an ID maker for tests, whose IDs count up: `'1001'`, `'1002'`, … It needs no store and no `start()`, and works under
 * fake timers. Provide it as `SnowflakeIdMaker`, or pass it to a constructor.
 *
 * ```ts
 * const ids = fakeIdMaker({ start: 1001 });
 * const orders = new OrdersService(ids);
 * ```
 *
 * No fake makes an ID that another fake of this process has made, unless it says `mayRepeat`. Fakes don't know those of other
 * processes and, in Jest and Vitest, of other test files. Files that share a database pass `testFile`, or no `start`.
 *
 * `decode()` reads IDs like a real one, so `'1001'` lies at the epoch. For IDs of a certain time, begin with that of `firstIdAt(time)`.
 *
 * @throws InvalidOptionError if an option is invalid, or another fake of this process has made its first ID
 */
export function fakeIdMaker(options: FakeIdMakerOptions = {}): SnowflakeIdMaker {
  requireOptions('fakeIdMaker', options, FAKE_OPTIONS);
  return new FakeIdMaker(options, layoutOf(options.layout, options.epoch));
}
