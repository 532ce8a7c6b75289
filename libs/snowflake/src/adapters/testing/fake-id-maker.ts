import { requireCount, requireTarget } from '../../core/generator/batch-checks.js';
import { IdDecoder } from '../../core/ids/decoder.js';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { layoutOf } from '../../core/layout/layout-of.js';
import { sharedInProcess } from '../../core/process-memory.js';
import { type Checked, checkedOptions } from '../../core/options/option-rule.js';
import { StoppedError, TimestampExhaustedError } from '../../core/errors/issuing-errors.js';
import { systemClock } from '../../core/clock/system-clock.js';
import { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import type { SnowflakeStatus } from '../../maker/snowflake-status.js';
import { staticLeaseStore } from '../../stores/fixed/fixed-worker-ids.js';
import { FAKE_OPTIONS, type FakeIdMakerOptions } from './fake-options.js';
import { firstId } from './first-id.js';

/** The IDs that a fake has made, from `first` and below `next`. */
type MadeIds = { readonly first: bigint; next: bigint };

/** An ID maker that counts as soon as it is constructed, without `start()`. */
class FakeIdMaker extends SnowflakeIdMaker {
  readonly #step: bigint;
  readonly #mayRepeat: boolean;
  readonly #last = BigInt(this.lastIdAt(this.layout.expiresAt));
  readonly #made = sharedInProcess<MadeIds[]>('IDs of fakes', () => []);
  readonly #own: MadeIds;
  #isStopped = false;

  constructor({ layout, epoch, step, mayRepeat, ...start }: Checked<typeof FAKE_OPTIONS>) {
    const { epochMs, expiresAt } = layoutOf(layout, epoch);
    // Keeps the time within the layout, because a test may set the clock to 1970.
    const now = (): number => Math.min(Math.max(systemClock.now(), epochMs), expiresAt.getTime());
    const clock = { ...systemClock, now };
    super({ store: staticLeaseStore({ workerId: 0, clock }), layout, epoch }, { clock });
    this.#step = BigInt(step);
    this.#mayRepeat = mayRepeat;
    const first = firstId(start, new IdDecoder(this.layout), this.#last);
    this.#own = { first, next: first };
    this.#requireFreeUntil(first);
    this.#made.push(this.#own);
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
    for (let at = 0; at < target.length; at++, id += this.#step) target[at] = id;
    return target;
  }

  override get canIssue(): boolean {
    return !this.#isStopped;
  }

  override stop(): Promise<void> {
    this.#isStopped = true;
    return super.stop();
  }

  override status(): SnowflakeStatus {
    const issued = Number((this.#own.next - this.#own.first) / this.#step);
    return { ...super.status(), state: this.canIssue ? 'active' : 'stopped', issued };
  }

  /** Generates `count` IDs, or none. @returns the first of them */
  #take(count: number): bigint {
    if (this.#isStopped) throw new StoppedError();
    const id = this.#own.next;
    const next = id + BigInt(count) * this.#step;
    this.#requireFreeUntil(next - this.#step);
    this.#own.next = next;
    return id;
  }

  #requireFreeUntil(id: bigint): void {
    if (id > this.#last) throw new TimestampExhaustedError(this.layout.expiresAt);
    const own = this.#own;
    const isFree = this.#made.every((one) => one === own || one.next <= own.next || one.first > id);
    if (isFree || this.#mayRepeat) return;
    throw new InvalidOptionError(
      'fakeIdMaker.start',
      own.first,
      `leads to ID ${own.next}, which another fake of this process may have generated`,
      'Share one fake, give each its own start, or pass mayRepeat: true if every test begins with an empty database.',
    );
  }
}

/**
 * Creates an ID maker for tests, whose IDs count up: `'1001'`, `'1002'`, … It needs no server and no `start()`, and works with
 * fake timers. Provide it as `SnowflakeIdMaker`, or pass it to a constructor.
 *
 * No fake generates an ID that another fake of this process has generated, unless `mayRepeat` is set. This doesn't cover the fakes of
 * other processes and, in Jest and Vitest, of other test files. Files that share a database pass `testFile`, or no `start`.
 *
 * `decode()` reads IDs like a real one, so `'1001'` lies at the epoch. For IDs of a certain time, pass `firstIdAt(time)` as `start`.
 *
 * @throws InvalidOptionError if an option is invalid, or another fake of this process has generated its first ID
 * @throws InvalidIdError if `start` is not an ID of the layout
 * @example
 * ```ts
 * const orders = new OrdersService(fakeIdMaker({ start: 1001 }));
 * expect(orders.create('PEN').id).toBe('1001');
 * ```
 */
export function fakeIdMaker(options: FakeIdMakerOptions = {}): SnowflakeIdMaker {
  return new FakeIdMaker(checkedOptions('fakeIdMaker', options, FAKE_OPTIONS));
}
