import { StoreRejectedError, StoreUnavailableError } from '../core/errors/lease-errors.js';
import { VirtualClock } from '../stores/port/virtual-clock.js';
import { GRACE_MS } from '../kit/call-deadline.js';
import type { CallDeadline, LeaseStore } from './lease-store.js';
import { StoreCaller } from './store-caller.js';

const TIMEOUT_MS = 100;
const CALL_ENDS_AFTER_MS = TIMEOUT_MS + GRACE_MS;

function callerOf(): { caller: StoreCaller; clock: VirtualClock; reconnects: () => number } {
  let reconnects = 0;
  const store = { description: 'a store', reconnect: () => reconnects++ } as unknown as LeaseStore;
  const clock = new VirtualClock('2026-01-01T00:00:00Z');
  return { caller: new StoreCaller(store, clock), clock, reconnects: () => reconnects };
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('StoreCaller', () => {
  it('takes a connection for dead after two calls in a row without an answer', async () => {
    const { caller, clock, reconnects } = callerOf();
    for (let call = 0; call < 2; call++) {
      expect(reconnects()).toBe(0);
      const outcome = caller.call(never, TIMEOUT_MS).catch((error: unknown) => error);
      await clock.advance(CALL_ENDS_AFTER_MS);
      expect(await outcome).toBeInstanceOf(StoreUnavailableError);
    }
    expect(reconnects()).toBe(1);
  });

  it('passes a deadline on, and the reason of a store that gives up at it', async () => {
    const { caller, clock } = callerOf();
    const deadlines: CallDeadline[] = [];
    const outcome = caller
      .call(async (deadline) => {
        deadlines.push(deadline);
        await new Promise<void>((resolve) => clock.schedule(deadline.remainingMs(), resolve));
        throw new StoreUnavailableError('a store waited for a lock');
      }, TIMEOUT_MS)
      .catch((error: Error) => error.message);
    const [deadline] = deadlines;
    expect([deadline?.timeoutMs, deadline?.remainingMs()]).toEqual([TIMEOUT_MS, TIMEOUT_MS]);
    await clock.advance(TIMEOUT_MS - 1);
    expect(deadline?.remainingMs()).toBe(1);
    await clock.advance(1);
    expect(await outcome).toBe('a store waited for a lock');
    await clock.advance(1);
    expect(deadline?.remainingMs()).toBe(0);
  });

  it('lets a call wait for others until its longer bound, and bounds what it does afterwards', async () => {
    const { caller, clock, reconnects } = callerOf();
    let deadline: CallDeadline | undefined;
    const outcome = caller
      .call(
        (given) => {
          deadline = given;
          given.queue();
          return never();
        },
        TIMEOUT_MS,
        10 * TIMEOUT_MS,
      )
      .catch((error: unknown) => error);
    expect(deadline?.remainingMs()).toBe(10 * TIMEOUT_MS);
    await clock.advance(5 * TIMEOUT_MS);
    deadline?.begin?.();
    expect(deadline?.remainingMs()).toBe(TIMEOUT_MS);
    await clock.advance(CALL_ENDS_AFTER_MS);
    expect(await outcome).toBeInstanceOf(StoreUnavailableError);
    deadline?.queue?.();
    deadline?.begin?.();
    await clock.advance(20 * TIMEOUT_MS);
    expect(reconnects()).toBe(0);
  });

  it('gives a call that may not wait longer no more time', async () => {
    const { caller, clock } = callerOf();
    const deadlines: CallDeadline[] = [];
    const outcome = caller
      .call((deadline) => {
        deadlines.push(deadline);
        deadline.queue();
        return never();
      }, TIMEOUT_MS)
      .catch((error: unknown) => error);
    await clock.advance(TIMEOUT_MS / 2);
    deadlines[0]?.begin?.();
    expect(deadlines[0]?.remainingMs()).toBe(TIMEOUT_MS / 2);
    await clock.advance(CALL_ENDS_AFTER_MS);
    expect(await outcome).toBeInstanceOf(StoreUnavailableError);
  });

  it('gives no call more time when the clock steps back', async () => {
    const { caller, clock } = callerOf();
    let left = Number.NaN;
    const outcome = caller
      .call((deadline) => {
        clock.step(-60_000);
        left = deadline.remainingMs();
        return never();
      }, TIMEOUT_MS)
      .catch((error: unknown) => error);
    expect(left).toBe(TIMEOUT_MS);
    await clock.advance(CALL_ENDS_AFTER_MS);
    expect(await outcome).toBeInstanceOf(StoreUnavailableError);
  });

  it.each<[string, () => void, string]>([
    [
      'throws',
      () => {
        throw new Error('no socket');
      },
      ' It could not reconnect: no socket.',
    ],
    ['rejects', () => Promise.reject(new Error('no socket')), ''],
    ['hangs', () => new Promise(() => undefined), ''],
  ])('ends its calls in time though the store cannot reconnect: it %s', async (_, reconnect, more) => {
    const clock = new VirtualClock('2026-01-01T00:00:00Z');
    const caller = new StoreCaller({ description: 'a store', reconnect } as unknown as LeaseStore, clock);
    const said: string[] = [];
    for (let call = 0; call < 4; call++) {
      caller.call(never, TIMEOUT_MS).catch(({ message }: Error) => said.push(message));
      await clock.advance(CALL_ENDS_AFTER_MS);
    }
    const silent = 'a store did not answer within 100 ms.';
    expect(said).toEqual([silent, silent + more, silent, silent + more]);
  });

  it.each([
    [new Error('no socket'), StoreUnavailableError, /^a store failed: no socket/],
    [new StoreRejectedError('a store refuses'), StoreRejectedError, /refuses/],
  ])(
    'takes an error that a store throws before it returns a promise for its answer: %o',
    async (...given) => {
      const [thrown, type, message] = given;
      const { caller, clock, reconnects } = callerOf();
      const throws = (): Promise<never> => {
        throw thrown;
      };
      for (let call = 0; call < 2; call++) {
        const outcome = caller.call(throws, TIMEOUT_MS);
        await expect(outcome).rejects.toThrow(type);
        await expect(outcome).rejects.toThrow(message);
      }
      await clock.advance(2 * CALL_ENDS_AFTER_MS);
      expect(reconnects()).toBe(0);
    },
  );
});
