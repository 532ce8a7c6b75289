import { countKept } from '../../../../test/support/garbage.js';
import { systemClock } from '../core/clock/system-clock.js';
import { deferred } from './deferred.js';
import { type Priority, Turns } from './turns.js';

const expired = (): Error => new Error('no turn');

describe('tasks that take turns', () => {
  it('runs a task when all before it have settled, whatever their outcome', async () => {
    const turns = new Turns(systemClock);
    const order: string[] = [];
    const [first, second] = [deferred(), deferred()];
    const begun = (name: string, until?: Promise<void>) =>
      turns.inTurn(async () => {
        order.push(`${name} begins`);
        await until;
        order.push(`${name} ends`);
      });
    const outcomes = Promise.allSettled([
      begun('first', first.promise),
      begun('second', second.promise),
      begun('third'),
    ]);
    second.resolve();
    first.reject(expired());
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(order).toEqual(['first begins', 'second begins', 'second ends', 'third begins', 'third ends']);
  });

  it('refuses a task whose turn does not come in time, and lets the next one wait for those before it', async () => {
    const turns = new Turns(systemClock);
    const first = deferred();
    let isRunning = true;
    const running = turns.inTurn(() => first.promise.then(() => (isRunning = false)));
    await expect(turns.inTurn(async () => 'late', { withinMs: 1, expired })).rejects.toThrow('no turn');
    const next = turns.inTurn(async () => isRunning);
    first.resolve();
    expect(await next).toBe(false);
    await running;
  });

  it('runs tasks of holders before newcomers that came earlier, and otherwise keeps the order', async () => {
    const turns = new Turns(systemClock);
    const order: string[] = [];
    const noted = (name: string, priority: Priority) =>
      turns.inTurn(async () => order.push(name), { priority });
    await Promise.all([
      noted('first', 'newcomer'),
      noted('second', 'newcomer'),
      noted('third', 'newcomer'),
      noted('renewal', 'holder'),
    ]);
    expect(order).toEqual(['first', 'renewal', 'second', 'third']);
  });

  it('keeps no outcome of a task that has settled', async () => {
    const turns = new Turns(systemClock);
    const outcomes: WeakRef<object>[] = [];
    const noted = <Outcome extends object>(outcome: Outcome): Outcome => {
      outcomes.push(new WeakRef(outcome));
      return outcome;
    };
    const hundred = Array.from({ length: 100 }, (_, index) => index);
    const result = async (): Promise<object> => noted({ rows: [] });
    const failure = (): Promise<object> => Promise.reject(noted(new Error('no rows')));
    await Promise.all(
      hundred.map((each) =>
        turns.inTurn(each % 2 ? result : failure).then(
          () => undefined,
          () => undefined,
        ),
      ),
    );
    expect(await countKept(outcomes)).toBe(0);
    await turns.inTurn(async () => undefined);
  });
});
