import { setTimeout as sleep } from 'node:timers/promises';
import { SeriesConflictError, SeriesTransactionError } from 'nestjs-snowflake-series';
import type { EntityManager, EntitySubscriberInterface } from 'typeorm';
import { DRIVERS, openShop, type Shop } from './support/invoices.js';

let shop: Shop;
const take = async (manager: EntityManager, scope: string): Promise<number> =>
  (await shop.series.next('order', { manager, scope, date: '2026-03-01' })).number;
const transaction = <Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> =>
  shop.series.transaction(shop.dataSource, work);
const numberOf = (scope: string): Promise<number> => transaction((manager) => take(manager, scope));

/** Runs a transaction that leaves `work` behind, which begins after its COMMIT. */
async function leaveBehind<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
  let begin = (): void => undefined;
  const committed = new Promise<void>((resolve) => (begin = resolve));
  const left = await transaction(async (manager) => ({ result: committed.then(() => work(manager)) }));
  begin();
  return left.result;
}

describe.each(DRIVERS)('what a transaction leaves behind on %s [promise: series]', (driver) => {
  beforeAll(async () => {
    shop = await openShop(driver, `series_left_${driver}`);
  });
  afterAll(() => shop?.close());

  it('lets what a transaction leaves behind run transactions of its own, again and again', async () => {
    expect(await leaveBehind(() => numberOf('again'))).toBe(1);
    expect(await leaveBehind(() => leaveBehind(() => numberOf('again')))).toBe(2);
    const started = await transaction(async (manager) => {
      const number = await take(manager, 'again');
      return { number, another: sleep(0).then(() => numberOf('again')) };
    });
    expect([started.number, await started.another]).toEqual([3, 4]);
  });

  it('takes no number in the transaction that has ended', async () => {
    await expect(leaveBehind((manager) => take(manager, 'ended'))).rejects.toThrow(SeriesTransactionError);
    expect(await numberOf('ended')).toBe(1);
  });
});

describe('what a transaction leaves behind on the only connection of SQLite [promise: series]', () => {
  beforeAll(async () => {
    shop = await openShop('sqlite', 'series_left_alone');
  });
  afterAll(() => shop?.close());

  it('takes no number in a plain transaction on a single connection, which another one could roll back', async () => {
    const left = leaveBehind(() => shop.dataSource.transaction((manager) => take(manager, 'plain')));
    await expect(left).rejects.toThrow(/single connection.*series\.transaction\(/);
    expect(await numberOf('plain')).toBe(1);
  });

  it('takes no number in the transaction of somebody else, and does not spoil it', async () => {
    let goOn = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { left } = await transaction(async (manager) => ({
      left: begun.then(() => take(manager, 'foreign')),
    }));
    const number = await transaction(async (manager) => {
      goOn();
      await expect(left).rejects.toThrow(SeriesTransactionError);
      return take(manager, 'foreign');
    });
    expect([number, await numberOf('foreign')]).toEqual([1, 2]);
  });
});

describe('a nested transaction on the only connection of SQLite', () => {
  beforeAll(async () => {
    shop = await openShop('sqlite', 'series_nested');
  });
  afterAll(() => shop?.close());

  it('refuses a nested transaction on a single connection with the remedy, because no retry can succeed', async () => {
    const attempt = transaction(async (manager) => {
      await take(manager, 'nested');
      await manager.transaction((nested) => nested.query('SELECT 1'));
    });
    await expect(attempt).rejects.toThrow(/Use the EntityManager that series\.transaction\(\) passes/);
    await expect(attempt).rejects.toMatchObject({ retryable: false });
    expect(await numberOf('nested')).toBe(1);
  });
});

/** Adds a subscriber to the shop for as long as `work` takes. */
async function subscribed<Result>(
  subscriber: EntitySubscriberInterface,
  work: () => Promise<Result>,
): Promise<Result> {
  const { subscribers } = shop.dataSource;
  subscribers.push(subscriber);
  try {
    return await work();
  } finally {
    subscribers.splice(subscribers.indexOf(subscriber), 1);
  }
}

describe('the boundaries of a transaction on the only connection of SQLite [promise: series]', () => {
  beforeAll(async () => {
    shop = await openShop('sqlite', 'series_boundaries');
  });
  afterAll(() => shop?.close());

  it('refuses to begin while a foreign transaction is about to begin, and leaves that one alone', async () => {
    let letBegin = (): void => undefined;
    const mayBegin = new Promise<void>((resolve) => (letBegin = resolve));
    let begins = 0;
    const slow = { beforeTransactionStart: () => (begins++ === 0 ? mayBegin : undefined) };
    await subscribed(slow, async () => {
      const foreign = shop.dataSource.transaction((manager) => manager.query('SELECT 1'));
      await expect(numberOf('begins')).rejects.toThrow(SeriesConflictError);
      letBegin();
      await foreign;
    });
    expect(begins).toBe(1);
    expect(await numberOf('begins')).toBe(1);
  });

  it('refuses to commit when the number arrives after the callback has returned', async () => {
    expect(await numberOf('late')).toBe(1);
    let reach = (): void => undefined;
    const isReached = new Promise<void>((resolve) => (reach = resolve));
    let arrive = (): void => undefined;
    const hasArrived = new Promise<void>((resolve) => (arrive = resolve));
    const holdingBack = {
      afterQuery: ({ query }: { query: string }) => {
        if (!/^INSERT INTO \W?snowflake_series_entry/.test(query)) return undefined;
        reach();
        return hasArrived;
      },
      beforeTransactionCommit: () => arrive(),
    };
    let late: Promise<number> | undefined;
    await subscribed(holdingBack, async () => {
      const attempt = transaction(async (manager) => {
        late = take(manager, 'late');
        await isReached;
      });
      await expect(attempt).rejects.toThrow(/ended before its number was taken/);
    });
    expect(await late).toBe(2);
    expect(await numberOf('late')).toBe(2);
  });
});
