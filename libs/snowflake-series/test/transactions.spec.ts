import { SeriesConflictError, SeriesTransactionError } from 'nestjs-snowflake-series';
import { QueryFailedError, type DataSource, type EntityManager } from 'typeorm';
import { countKept } from '../../../test/support/garbage.js';
import { waitFor, within as settledWithin } from '../../../test/support/wait.js';
import { DRIVERS, invoice, Invoice, openShop, type Driver, type Shop } from './support/invoices.js';

class Abandoned extends Error {}

/** A promise that the test resolves. Node 20 has no Promise.withResolvers(). */
function gate(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, resolve: () => open() };
}

const sessionLevel = (driver: Driver, level: string): string =>
  driver === 'postgres'
    ? `SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL ${level}`
    : `SET SESSION TRANSACTION ISOLATION LEVEL ${level}`;

const SERVERS: readonly Driver[] = ['postgres', 'mariadb', 'mysql'];

let shop: Shop;
const DATE = '2026-03-01';
const take = async (manager: EntityManager, name: string, scope: string): Promise<number> =>
  (await shop.series.next(name, { manager, scope, date: DATE })).number;
const numberOf = (scope: string, name = 'order'): Promise<number> =>
  shop.series.transaction(shop.dataSource, (manager) => take(manager, name, scope));

describe.each(DRIVERS)('a transaction with numbers on %s [promise: series]', (driver) => {
  beforeAll(async () => {
    shop = await openShop(driver, `series_tx_${driver}`);
  });
  afterAll(() => shop?.close());

  it('rolls back every number that a transaction still takes when something else fails', async () => {
    const attempts = Array.from({ length: 8 }, () =>
      shop.series.transaction(shop.dataSource, async (manager) => {
        const taking = Array.from({ length: 5 }, () => take(manager, 'order', 'racing'));
        await Promise.all([Promise.reject(new Abandoned()), ...taking]);
      }),
    );
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    const left = await shop.dataSource.query("SELECT * FROM snowflake_series_entry WHERE scope = 'racing'");
    expect(left).toEqual([]);
    expect(await numberOf('racing')).toBe(1);
  });

  it('takes no number on a connection without a transaction', async () => {
    // A second check would refuse it too, as if its transaction had ended.
    const withoutTransaction = /only within a transaction/;
    const runner = shop.dataSource.createQueryRunner();
    try {
      await expect(take(runner.manager, 'order', 'loose')).rejects.toThrow(withoutTransaction);
      await expect(runner.manager.insert(Invoice, invoice('loose'))).rejects.toThrow(withoutTransaction);
    } finally {
      await runner.release();
    }
    expect(await shop.dataSource.manager.countBy(Invoice, { tenantId: 'loose' })).toBe(0);
    expect(await numberOf('loose')).toBe(1);
  });

  it('commits nothing while a number is not awaited', async () => {
    const numbers: Promise<unknown>[] = [];
    const attempt = shop.series.transaction(shop.dataSource, async (manager) => {
      await manager.save(invoice('hasty'));
      numbers.push(take(manager, 'order', 'hasty').catch(() => 'refused'));
    });
    await expect(attempt).rejects.toThrow(/ended before its number was taken/);
    await Promise.all(numbers);
    expect(await shop.dataSource.manager.countBy(Invoice, { tenantId: 'hasty' })).toBe(0);
    expect(await numberOf('hasty')).toBe(1);
  });

  it('commits nothing after a number that failed, even if the app ignores the error', async () => {
    const attempt = shop.series.transaction(shop.dataSource, async (manager) => {
      await manager.save(invoice('ignored'));
      const tooLong = { manager, date: DATE, scope: 'ignored', fields: { branch: 'B'.repeat(63) } };
      await expect(shop.series.next('receipt', tooLong)).rejects.toThrow(/longer than maxLength \(64\)/);
      await expect(take(manager, 'order', 'ignored')).rejects.toThrow(SeriesTransactionError);
    });
    await expect(attempt).rejects.toThrow(/longer than maxLength \(64\)/);
    expect(await shop.dataSource.manager.countBy(Invoice, { tenantId: 'ignored' })).toBe(0);
  });

  it('commits nothing after the INSERT of a numbered row failed, even if the app ignores the error', async () => {
    const row = (): Invoice => Object.assign(invoice('failed'), { id: 'written-once' });
    await shop.series.transaction(shop.dataSource, (manager) => manager.insert(Invoice, row()));
    const attempt = shop.series.transaction(shop.dataSource, async (manager) => {
      await expect(manager.insert(Invoice, row())).rejects.toThrow(QueryFailedError);
    });
    await expect(attempt).rejects.toThrow(/has a number, but its INSERT failed/);
    await shop.series.transaction(shop.dataSource, (manager) => manager.save(invoice('failed')));
    const { manager } = shop.dataSource;
    const [audit] = await shop.series.audit('invoice', { manager, scope: 'failed' });
    expect(audit).toMatchObject({ last: 2, gaps: [], withoutDocument: [] });
  });
});

describe('overlapping transactions on the only connection of SQLite [promise: series]', () => {
  beforeAll(async () => {
    shop = await openShop('sqlite', 'series_overlap');
  });
  afterAll(() => shop?.close());

  it('takes no number on a single connection unless series.transaction() runs the transaction', async () => {
    const attempt = shop.dataSource.transaction((manager) => take(manager, 'order', 'plain'));
    await expect(attempt).rejects.toThrow(/single connection.*series\.transaction\(/);
    await expect(shop.dataSource.manager.save(invoice('plain'))).rejects.toThrow(SeriesTransactionError);
    expect(await numberOf('plain')).toBe(1);
  });

  it('keeps neither the result nor the error of a transaction that has ended', async () => {
    const outcomes: WeakRef<object>[] = [];
    const noted = <Outcome extends object>(outcome: Outcome): Outcome => {
      outcomes.push(new WeakRef(outcome));
      return outcome;
    };
    for (let at = 0; at < 50; at += 1) {
      await shop.series.transaction(shop.dataSource, async () => noted({ at }));
      await shop.series
        .transaction(shop.dataSource, () => Promise.reject(noted(new Abandoned())))
        .catch(() => undefined);
    }
    expect(await countKept(outcomes)).toBe(0);
  });

  it('rolls back overlapping transactions if another one begins in the middle', async () => {
    const begun = gate();
    const goOn = gate();
    const first = shop.series.transaction(shop.dataSource, async (manager) => {
      const taken = await take(manager, 'order', 'mixed');
      begun.resolve();
      await goOn.promise;
      return taken;
    });
    await begun.promise;
    const foreign = shop.dataSource.transaction(async (manager) => {
      await manager.query('SELECT 1');
      goOn.resolve();
      await first.catch(() => undefined);
      throw new Abandoned();
    });
    await expect(first).rejects.toThrow(SeriesConflictError);
    await expect(foreign).rejects.toThrow(Abandoned);
    expect(await numberOf('mixed')).toBe(1);
  });

  it('throws a retryable error beside a foreign transaction that is open', async () => {
    const foreign = shop.dataSource.transaction(async () => {
      await expect(numberOf('waiting')).rejects.toThrow(SeriesConflictError);
    });
    await foreign;
    expect(await numberOf('waiting')).toBe(1);
  });

  // Control: what TypeORM does by itself.
  it('resolves and rolls back an overlapping transaction without the library (control)', async () => {
    const { dataSource } = shop;
    const begun = gate();
    const goOn = gate();
    const sql = "INSERT INTO snowflake_series VALUES ('control', '', 'all', 1)";
    const first = dataSource.transaction(async (manager) => {
      await manager.query(sql);
      begun.resolve();
      await goOn.promise;
      return 'committed';
    });
    await begun.promise;
    const second = dataSource.transaction(async () => {
      goOn.resolve();
      expect(await first).toBe('committed');
      throw new Abandoned();
    });
    await expect(second).rejects.toThrow(Abandoned);
    expect(await dataSource.query("SELECT * FROM snowflake_series WHERE series = 'control'")).toEqual([]);
  });
});

describe.each(SERVERS)('transactions that wait for each other on %s [promise: series]', (driver) => {
  beforeAll(async () => {
    shop = await openShop(driver, `series_wait_${driver}`);
  });
  afterAll(() => shop?.close());

  const inBoth = async (one: string, other: string): Promise<unknown[]> => {
    const arrived = [gate(), gate()];
    const crossing = (at: number, names: readonly string[]) =>
      shop.series.transaction(shop.dataSource, async (manager) => {
        await take(manager, names[0] ?? '', 'deadlock');
        arrived[at]?.resolve();
        await arrived[1 - at]?.promise;
        await take(manager, names[1] ?? '', 'deadlock');
      });
    const outcomes = await Promise.allSettled([crossing(0, [one, other]), crossing(1, [other, one])]);
    return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  };

  it('throws a retryable error if two transactions take two series in different orders, and leaves no gap', async () => {
    const [failure, ...others] = await inBoth('order', 'note');
    expect(others).toEqual([]);
    expect(failure).toBeInstanceOf(SeriesConflictError);
    expect(failure).toMatchObject({ code: 'SNOWFLAKE_SERIES_CONFLICT', retryable: true });
    expect([await numberOf('deadlock'), await numberOf('deadlock', 'note')]).toEqual([2, 2]);
  });

  describe('of the same work, one around the other', () => {
    const around = (work: (manager: EntityManager) => Promise<unknown>): Promise<unknown> =>
      settledWithin('the transaction', 10_000, shop.series.transaction(shop.dataSource, work));
    const refused = expect.objectContaining({
      code: 'SNOWFLAKE_SERIES_TRANSACTION',
      message: expect.stringMatching(/manager\.save/),
    });

    it.each<[string, (dataSource: DataSource) => Promise<unknown>]>([
      ['a repository', (dataSource) => dataSource.getRepository(Invoice).save(invoice('around'))],
      ['the manager of the DataSource', (dataSource) => dataSource.manager.save(invoice('around'))],
      [
        'a plain transaction',
        (dataSource) => dataSource.transaction((manager) => take(manager, 'order', 'other')),
      ],
    ])(
      'refuses a number that %s asks for on another connection, and keeps those that it has',
      async (_, ask) => {
        const before = await shop.dataSource.manager.countBy(Invoice, { tenantId: 'around' });
        await around(async (manager) => {
          await manager.save(invoice('around'));
          await expect(ask(shop.dataSource)).rejects.toEqual(refused);
        });
        expect(await shop.dataSource.manager.countBy(Invoice, { tenantId: 'around' })).toBe(before + 1);
        const [audit] = await shop.series.audit('invoice', {
          manager: shop.dataSource.manager,
          scope: 'around',
        });
        expect(audit).toMatchObject({ last: before + 1, gaps: [], withoutDocument: [] });
      },
    );

    it('refuses a number of the outer transaction while the inner one has some', async () => {
      await around(async (outer) => {
        await shop.dataSource.transaction(async (inner) => {
          await take(inner, 'order', 'inner');
          await expect(take(outer, 'order', 'inner')).rejects.toEqual(refused);
        });
      });
      expect(await numberOf('inner')).toBe(2);
    });

    it('takes numbers on another connection before and after the numbers of its own', async () => {
      const alone = (): Promise<number> =>
        shop.dataSource.transaction((manager) => take(manager, 'order', 'alone'));
      const taken: number[] = [];
      await around(async (manager) => {
        taken.push(await alone(), await take(manager, 'order', 'alone'));
      });
      expect([...taken, await numberOf('alone')]).toEqual([1, 2, 3]);
    });
  });

  it('prevents a deadlock of transactions that ask for several series at once, in any order', async () => {
    const names = ['note', 'order', 'invoice'];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) =>
        shop.series.transaction(shop.dataSource, async (manager) => {
          const order = index % 2 === 0 ? names : names.toReversed();
          await Promise.all(order.map((name) => take(manager, name, 'sorted')));
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await numberOf('sorted')).toBe(31);
  });

  it('leaves no gap at REPEATABLE READ and SERIALIZABLE, where some transactions must be run again', async () => {
    const failures: unknown[] = [];
    const attempt = async (level: 'REPEATABLE READ' | 'SERIALIZABLE'): Promise<number> => {
      try {
        return await shop.dataSource.transaction(level, async (manager) => {
          await manager.query('SELECT COUNT(*) FROM invoices');
          return take(manager, 'order', 'isolated');
        });
      } catch (error) {
        failures.push(error);
        return attempt(level);
      }
    };
    const levels = Array.from({ length: 24 }, (_, index): 'SERIALIZABLE' | 'REPEATABLE READ' =>
      index % 2 ? 'SERIALIZABLE' : 'REPEATABLE READ',
    );
    const numbers = await Promise.all(levels.map(attempt));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(levels.map((_, index) => index + 1));
    expect(failures.filter((failure) => !(failure instanceof SeriesConflictError))).toEqual([]);
  });

  it('leaves no gap if the first transaction of a period is rolled back while others wait for it', async () => {
    const begun = gate();
    const end = gate();
    const first = shop.series.transaction(shop.dataSource, async (manager) => {
      await take(manager, 'order', 'first');
      begun.resolve();
      await end.promise;
      throw new Abandoned();
    });
    await begun.promise;
    const failures: unknown[] = [];
    const attempt = (): Promise<number> =>
      numberOf('first').catch((error: unknown) => {
        failures.push(error);
        return attempt();
      });
    const others = Promise.all(Array.from({ length: 6 }, attempt));
    await waitFor('the others to begin', 20_000, () => numberOf('free').then(() => true));
    end.resolve();
    await expect(first).rejects.toThrow(Abandoned);
    expect((await others).toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6]);
    // MariaDB ends some of them, because they wait for a row that no longer exists.
    expect(failures.filter((failure) => !(failure instanceof SeriesConflictError))).toEqual([]);
  });

  it('leaves no gap at READ UNCOMMITTED, if the app sets it for the session', async () => {
    expect(await numberOf('uncommitted')).toBe(1);
    const attempts = Array.from({ length: 24 }, async (_, index) => {
      const runner = shop.dataSource.createQueryRunner();
      try {
        await runner.connect();
        await runner.query(sessionLevel(driver, 'READ UNCOMMITTED'));
        await runner.startTransaction();
        await take(runner.manager, 'order', 'uncommitted');
        if (index % 4 === 1) await runner.rollbackTransaction();
        else await runner.commitTransaction();
      } finally {
        await runner.query(sessionLevel(driver, 'READ COMMITTED'));
        await runner.release();
      }
    });
    await Promise.all(attempts);
    expect(await numberOf('uncommitted')).toBe(20);
  });

  it('keeps the order of numbers in a savepoint that is rolled back', async () => {
    const numbers = await shop.series.transaction(shop.dataSource, async (manager) => {
      const first = await take(manager, 'order', 'savepoint');
      const inner = manager.transaction(async (nested) => {
        expect(await take(nested, 'order', 'savepoint')).toBe(2);
        throw new Abandoned();
      });
      await expect(inner).rejects.toThrow(Abandoned);
      return [first, await take(manager, 'order', 'savepoint')];
    });
    expect(numbers).toEqual([1, 2]);
  });

  describe('beside a savepoint that is rolled back', () => {
    beforeAll(() => shop.dataSource.query('CREATE TABLE papers (number varchar(64) NOT NULL)'));
    const write = (manager: EntityManager, text: string): Promise<unknown> =>
      manager.query(`INSERT INTO papers VALUES (${driver === 'postgres' ? '$1' : '?'})`, [text]);
    const written = async (): Promise<string[]> =>
      (await shop.dataSource.query<{ number: string }[]>('SELECT number FROM papers')).map(
        ({ number }) => number,
      );
    type Take = (manager: EntityManager) => Promise<string>;
    const taking =
      (scope: string): Take =>
      async (manager) =>
        (await shop.series.next('order', { manager, scope, date: DATE })).text;

    /** Takes a number while the savepoint is open, and writes it when that has been rolled back. */
    const within = (takeText: Take): Promise<string> =>
      shop.series.transaction(shop.dataSource, async (manager) => {
        const begun = gate();
        const end = gate();
        const inner = manager.transaction(async () => {
          begun.resolve();
          await end.promise;
          throw new Abandoned();
        });
        await begun.promise;
        const text = await takeText(manager);
        end.resolve();
        await expect(inner).rejects.toThrow(Abandoned);
        await write(manager, text);
        return text;
      });

    it('commits no number that was taken beside a savepoint that is rolled back', async () => {
      await expect(within(taking('beside'))).rejects.toThrow(SeriesTransactionError);
      expect(await written()).toEqual([]);
      expect(await numberOf('beside')).toBe(1);
    });

    it('keeps a number that was asked for when the savepoint began, or commits nothing', async () => {
      for (const isFirst of [true, false]) {
        const scope = `together ${isFirst}`;
        const attempt = shop.series.transaction(shop.dataSource, async (manager) => {
          const taken = gate();
          const ask = (): Promise<string> => taking(scope)(manager).finally(() => taken.resolve());
          const nest = (): Promise<never> =>
            manager.transaction(async () => {
              await taken.promise;
              throw new Abandoned();
            });
          const [one, other] = isFirst ? [ask(), nest()] : [nest(), ask()];
          const outcomes = await Promise.allSettled([one, other]);
          const text = outcomes.find((outcome) => outcome.status === 'fulfilled')?.value ?? '';
          await write(manager, text);
          return text;
        });
        const isCommitted = await attempt.then(
          () => true,
          (error: unknown) => {
            expect(error).toBeInstanceOf(SeriesTransactionError);
            return false;
          },
        );
        expect(await numberOf(scope)).toBe(isCommitted ? 2 : 1);
        const { manager } = shop.dataSource;
        const [audit] = await shop.series.audit('order', { manager, scope });
        expect(audit?.gaps).toEqual([]);
        await shop.dataSource.query('DELETE FROM papers');
      }
    });

    it('commits the same text of another scope beside a savepoint that is rolled back', async () => {
      await shop.series.transaction(shop.dataSource, async (manager) => {
        const text = await taking('one scope')(manager);
        const inner = manager.transaction(async (nested) => {
          expect(await taking('another scope')(nested)).toBe(text);
          throw new Abandoned();
        });
        await expect(inner).rejects.toThrow(Abandoned);
        await write(manager, text);
      });
      expect([await numberOf('one scope'), await numberOf('another scope')]).toEqual([2, 1]);
      await shop.dataSource.query('DELETE FROM papers');
    });

    it('repeats a number that is counted by hand beside a savepoint (control)', async () => {
      await shop.dataSource.query('CREATE TABLE counter (last_number int NOT NULL)');
      await shop.dataSource.query('INSERT INTO counter VALUES (0)');
      const byHand: Take = async (manager) => {
        await manager.query('UPDATE counter SET last_number = last_number + 1');
        const [row] = await manager.query<{ last_number: number }[]>('SELECT last_number FROM counter');
        return String(row?.last_number);
      };
      expect([await within(byHand), await within(byHand)]).toEqual(['1', '1']);
      expect(await written()).toEqual(['1', '1']);
    });
  });

  it('goes on after a savepoint with an INSERT that failed', async () => {
    const row = (): Invoice => Object.assign(invoice('inner'), { id: 'written-before' });
    await shop.series.transaction(shop.dataSource, (manager) => manager.insert(Invoice, row()));
    const saved = await shop.series.transaction(shop.dataSource, async (manager) => {
      const inner = manager.transaction((nested) => nested.insert(Invoice, row()));
      await expect(inner).rejects.toThrow(QueryFailedError);
      return manager.save(invoice('inner'));
    });
    expect(saved.number).toBe('INV-2026-00002');
  });

  it('waits for a transaction that has taken a number and has not ended', async () => {
    const begun = gate();
    const end = gate();
    const first = shop.series.transaction(shop.dataSource, async (manager) => {
      await take(manager, 'order', 'slow');
      begun.resolve();
      await end.promise;
      throw new Abandoned();
    });
    await begun.promise;
    let hasNumber = false;
    const second = numberOf('slow').then((number) => ((hasNumber = true), number));
    await waitFor('a third transaction', 20_000, () => numberOf('free').then(() => true));
    expect(hasNumber).toBe(false);
    end.resolve();
    await expect(first).rejects.toThrow(Abandoned);
    expect(await second).toBe(1);
  });

  it('waits for a transaction that hangs until the timeout of the database for idle transactions', async () => {
    const bound =
      driver === 'postgres'
        ? "SET LOCAL idle_in_transaction_session_timeout = '300ms'"
        : 'SET SESSION idle_transaction_timeout = 1';
    const begun = gate();
    const end = gate();
    const hanging = shop.series.transaction(shop.dataSource, async (manager) => {
      await take(manager, 'order', 'hanging');
      await manager.query(bound);
      begun.resolve();
      await end.promise;
      return manager.query('SELECT 1');
    });
    await begun.promise;
    expect(await numberOf('hanging')).toBe(1);
    end.resolve();
    await expect(hanging).rejects.toThrow();
    expect(await numberOf('hanging')).toBe(2);
  });

  it('throws a retryable error at the lock timeout of the database', async () => {
    const [bound, unbound] =
      driver === 'postgres'
        ? ["SET LOCAL lock_timeout = '100ms'", undefined]
        : ['SET SESSION innodb_lock_wait_timeout = 1', 'SET SESSION innodb_lock_wait_timeout = DEFAULT'];
    const begun = gate();
    const end = gate();
    const first = shop.series.transaction(shop.dataSource, async (manager) => {
      const taken = await take(manager, 'order', 'bounded');
      begun.resolve();
      await end.promise;
      return taken;
    });
    await begun.promise;
    const second = shop.series.transaction(shop.dataSource, async (manager) => {
      await manager.query(bound);
      try {
        return await take(manager, 'order', 'bounded');
      } finally {
        if (unbound !== undefined) await manager.query(unbound);
      }
    });
    await expect(second).rejects.toThrow(SeriesConflictError);
    end.resolve();
    expect([await first, await numberOf('bounded')]).toEqual([1, 2]);
  });
});
