import {
  Series,
  SeriesTransactionError,
  UnknownSeriesNumberError,
  type SeriesNumberTaken,
} from 'nestjs-snowflake-series';
import type { EntityManager } from 'typeorm';
import { DRIVERS, invoice, Invoice, openShop, Receipt, type Shop } from './support/invoices.js';

class Abandoned extends Error {}

describe.each(DRIVERS)('the numbers of a series on %s [promise: series]', (driver) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop(driver, `series_${driver}`);
  });
  afterAll(() => shop?.close());

  const transaction = <Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> =>
    shop.series.transaction(shop.dataSource, work);
  const next = (scope: string, more: object = {}): Promise<SeriesNumberTaken> =>
    transaction((manager) => shop.series.next('order', { manager, scope, date: '2026-03-01', ...more }));
  const textOf = async (scope: string, more: object = {}): Promise<string> => (await next(scope, more)).text;

  it('numbers without a gap within a scope and a period', async () => {
    expect(await next('plain')).toEqual({
      text: 'INV-2026-00001',
      number: 1,
      period: '2026',
      date: '2026-03-01',
    });
    expect(await textOf('plain')).toBe('INV-2026-00002');
    expect(await textOf('another')).toBe('INV-2026-00001');
    expect(await textOf('plain', { date: '2027-01-01' })).toBe('INV-2027-00001');
  });

  it('counts late documents in their own period', async () => {
    expect(await textOf('late', { date: new Date('2025-12-31T22:59:59Z') })).toBe('INV-2025-00001');
    expect(await textOf('late', { date: new Date('2025-12-31T23:00:00Z') })).toBe('INV-2026-00001');
    expect(await textOf('late', { date: '2025-12-31' })).toBe('INV-2025-00002');
  });

  it('takes the date from the clock of the database by default', async () => {
    const before = new Date().getUTCFullYear();
    const taken = await transaction((manager) => shop.series.next('order', { manager, scope: 'clock' }));
    expect(Math.abs(Number(taken.period) - before)).toBeLessThanOrEqual(1);
    expect(taken.text).toBe(`INV-${taken.period}-00001`);
  });

  it('takes numbers back in a rollback', async () => {
    await next('back');
    const attempt = transaction(async (manager) => {
      const { text } = await shop.series.next('order', { manager, scope: 'back', date: '2026-03-01' });
      expect(text).toBe('INV-2026-00002');
      throw new Abandoned();
    });
    await expect(attempt).rejects.toThrow(Abandoned);
    expect(await textOf('back')).toBe('INV-2026-00002');
  });

  it('leaves no gap and makes no duplicate in concurrent transactions', async () => {
    // MariaDB ends waiting transactions if the first one of a period is rolled back.
    await transaction((manager) => manager.save(invoice('crowd')));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        transaction(async (manager) => {
          const saved = await manager.save(invoice('crowd'));
          if (index % 10 === 3) throw new Abandoned();
          return saved.number;
        }),
      ),
    );
    const made = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(made).toHaveLength(54);
    expect(made.toSorted()).toEqual(
      Array.from({ length: 54 }, (_, index) => `INV-2026-${String(index + 2).padStart(5, '0')}`),
    );
  });

  it('numbers rows in the order of a save', async () => {
    const rows = Array.from({ length: 250 }, () => invoice('many'));
    await transaction((manager) => manager.save(rows));
    expect(rows.map(({ number }) => Number(number.slice(-5)))).toEqual(rows.map((_, index) => index + 1));
    expect(await shop.dataSource.getRepository(Invoice).countBy({ tenantId: 'many' })).toBe(250);
  });

  it('finds a number again by its document', async () => {
    const first = await next('retry', { document: 'a' });
    expect(await next('retry', { document: 'b' })).toMatchObject({ number: 2 });
    // After New Year, too.
    expect(await next('retry', { document: 'a', date: '2027-01-02' })).toEqual(first);
    const { manager } = shop.dataSource;
    const audits = await shop.series.audit('order', { manager, scope: 'retry' });
    expect(audits.map(({ period, last }) => [period, last])).toEqual([['2026', 2]]);
    expect(await textOf('retry')).toBe('INV-2026-00003');
    expect(await textOf('retry', { date: '2027-01-02' })).toBe('INV-2027-00001');
  });

  it('gives one number to a document for which two transactions ask at a time', async () => {
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, index) => next('twins', { document: `d${index % 2}` })),
    );
    expect(new Set(all.map(({ text }) => text)).size).toBe(2);
    expect(await textOf('twins')).toBe('INV-2026-00003');
  });

  it('numbers a batch with and without documents', async () => {
    const taken = await transaction((manager) =>
      Promise.all(
        [undefined, 'x', 'x', undefined].map((document) =>
          shop.series.next('order', { manager, scope: 'mixed', date: '2026-03-01', document }),
        ),
      ),
    );
    expect(taken.map(({ number }) => number)).toEqual([1, 2, 2, 3]);
  });

  it('shows the next number before it is taken', async () => {
    const { manager } = shop.dataSource;
    const peek = () => shop.series.peek('order', { manager, scope: 'peek', date: '2026-03-01' });
    expect(await peek()).toMatchObject({ text: 'INV-2026-00001' });
    expect(await textOf('peek')).toBe('INV-2026-00001');
    expect(await peek()).toMatchObject({ text: 'INV-2026-00002', number: 2, period: '2026' });
  });

  it('counts a column and next() together', async () => {
    const saved = await transaction((manager) => manager.save(invoice('both')));
    expect(saved.number).toBe('INV-2026-00001');
    const { text } = await transaction((manager) =>
      shop.series.next('invoice', { manager, scope: 'both', date: '2026-12-31' }),
    );
    expect(text).toBe('INV-2026-00002');
  });

  it('fills in fields of the row, and finds the row by its key after a retry', async () => {
    const receipt = (): Receipt => Object.assign(new Receipt(), { id: 'r1', branch: 'B7' });
    const attempt = transaction(async (manager) => {
      await manager.save(receipt());
      throw new Abandoned();
    });
    await expect(attempt).rejects.toThrow(Abandoned);
    const saved = await transaction((manager) => manager.save(receipt()));
    expect(saved.number).toMatch(/^B7\/\d{6}-1$/);
  });

  it('leaves the number to the row if a save() finds it', async () => {
    const row = invoice('saved');
    const saved = await transaction((manager) => manager.save(row));
    const again = Object.assign(new Invoice(), { id: row.id, tenantId: 'saved', issuedOn: row.issuedOn });
    expect((await transaction((inside) => inside.save(again))).number).toBeUndefined();
    const { manager } = shop.dataSource;
    expect(await manager.findOneByOrFail(Invoice, { id: row.id })).toEqual(saved);
  });

  it('assigns another number to a row whose transaction was rolled back', async () => {
    const row = invoice('again');
    const attempt = transaction(async (manager) => {
      await manager.insert(Invoice, row);
      throw new Abandoned();
    });
    await expect(attempt).rejects.toThrow(Abandoned);
    await transaction((manager) => manager.save(invoice('again')));
    await transaction((manager) => manager.insert(Invoice, row));
    expect(row.number).toBe('INV-2026-00002');
  });

  describe('are refused', () => {
    it('refuses next() and insert() outside of a transaction', async () => {
      const { manager } = shop.dataSource;
      const remedy = /within a transaction\..* await series\.transaction/;
      await expect(shop.series.next('order', { manager })).rejects.toThrow(remedy);
      await expect(manager.insert(Invoice, invoice('outside'))).rejects.toThrow(SeriesTransactionError);
      expect(await manager.countBy(Invoice, { tenantId: 'outside' })).toBe(0);
    });

    it('refuses a number within another transaction of series.transaction()', async () => {
      const nested = transaction(() => transaction(() => Promise.resolve()));
      await expect(nested).rejects.toThrow(/already running/);
    });

    it('refuses a number at READ UNCOMMITTED', async () => {
      const attempt = shop.dataSource.transaction('READ UNCOMMITTED', (manager) =>
        shop.series.next('order', { manager, scope: 'dirty' }),
      );
      await expect(attempt).rejects.toThrow(SeriesTransactionError);
    });

    it('refuses a row that brings its number, or is there twice', async () => {
      const own = Object.assign(invoice('own'), { number: 'INV-2026-00007' });
      await expect(transaction((manager) => manager.save(own))).rejects.toThrow(
        /^Invoice.number is already set/,
      );
      const twice = invoice('own');
      await expect(transaction((manager) => manager.insert(Invoice, [twice, twice]))).rejects.toThrow(
        /share one object/,
      );
      const saved = await transaction((manager) => manager.save(invoice('own')));
      expect(saved.number).toBe('INV-2026-00001');
    });

    it('refuses a number if somebody has put the counter back, or beyond what a number can hold', async () => {
      await next('changed');
      const { manager } = shop.dataSource;
      const refused = { code: 'SNOWFLAKE_STORE_REJECTED', retryable: false };
      for (const last of ['0', '9007199254740991', '9223372036854775807', '-1']) {
        await manager.query(`UPDATE snowflake_series SET last_number = ${last} WHERE scope = 'changed'`);
        await expect(next('changed')).rejects.toMatchObject(refused);
      }
      await manager.query("UPDATE snowflake_series SET last_number = 0 WHERE scope = 'changed'");
      await expect(next('changed')).rejects.toThrow(/set it to its largest number/);
      await manager.query("UPDATE snowflake_series SET last_number = 1 WHERE scope = 'changed'");
      expect(await textOf('changed')).toBe('INV-2026-00002');
    });

    it('refuses a date that does not exist, in a row and in next()', async () => {
      const invalid = { code: 'SNOWFLAKE_INVALID_DATE', value: '2026-13-99' };
      await expect(transaction((manager) => manager.save(invoice('x', '2026-13-99')))).rejects.toMatchObject(
        invalid,
      );
      await expect(next('x', { date: '2026-13-99' })).rejects.toMatchObject(invalid);
    });

    it('refuses a row without a date, and an unknown series', async () => {
      const row = Object.assign(invoice('x'), { issuedOn: undefined });
      await expect(transaction((manager) => manager.save(row))).rejects.toThrow(
        /^Invoice.number: issuedOn has no date/,
      );
      await expect(transaction((manager) => shop.series.next('bill', { manager }))).rejects.toThrow(
        /^series .* Known: note, order, invoice, receipt/,
      );
    });
  });

  describe('of an upsert', () => {
    const upsert = (entity: typeof Invoice | typeof Receipt, row: object) =>
      transaction((manager) => manager.upsert(entity, row, ['id']));

    it('loses the number of an upsert that inserts no row, and the audit shows it', async () => {
      const row = invoice('upsert');
      await upsert(Invoice, { ...row });
      await upsert(Invoice, { ...row, issuedOn: '2026-07-01' });
      const { manager } = shop.dataSource;
      expect(await manager.findBy(Invoice, { tenantId: 'upsert' })).toMatchObject([
        { number: 'INV-2026-00001', issuedOn: '2026-07-01' },
      ]);
      const [audit] = await shop.series.audit('invoice', { manager, scope: 'upsert' });
      expect(audit?.withoutDocument).toEqual([{ from: 2, to: 2 }]);
    });

    it('gives an upsert the number of its document', async () => {
      const { manager } = shop.dataSource;
      await upsert(Receipt, { id: 'upserted', branch: 'B8' });
      const [before] = await shop.series.audit('receipt', { manager });
      await upsert(Receipt, { id: 'upserted', branch: 'B9' });
      const [after] = await shop.series.audit('receipt', { manager });
      expect(after).toEqual(before);
      const [receipt] = await manager.findBy(Receipt, { id: 'upserted' });
      expect(receipt).toMatchObject({ branch: 'B9', number: expect.stringMatching(/^B8\//) });
    });
  });

  it('voids a number with a reason, once', async () => {
    const text = await textOf('void');
    const voided = (given: string, reason = 'typed twice') =>
      transaction((manager) => shop.series.void('order', given, { manager, scope: 'void', reason }));
    await voided(text);
    await voided(text, 'another reason');
    await expect(voided('INV-2026-09999')).rejects.toThrow(UnknownSeriesNumberError);
    await expect(voided(text, ' ')).rejects.toThrow(/^reason must be /);
    await expect(voided(text, 'typed \0 twice')).rejects.toThrow(/^reason must be /);
    await expect(voided('INV\0')).rejects.toThrow(/^text is not /);
    const { manager } = shop.dataSource;
    const [audit] = await shop.series.audit('order', { manager, scope: 'void' });
    expect(audit?.voided).toEqual([{ text, reason: 'typed twice', at: expect.any(Date) }]);
    expect(await textOf('void')).toBe('INV-2026-00002');
  });

  it('gives a document another number when its own is voided', async () => {
    const text = await textOf('reissue', { document: 'order 1' });
    await transaction((manager) =>
      shop.series.void('order', text, { manager, scope: 'reissue', reason: 'wrong customer' }),
    );
    await expect(next('reissue', { document: 'order 1' })).rejects.toMatchObject({
      code: 'SNOWFLAKE_VOIDED_SERIES_NUMBER',
      text,
      document: 'order 1',
    });
    expect(await textOf('reissue', { document: 'order 1/2' })).toBe('INV-2026-00002');
  });

  it('audits gaps, duplicates, and numbers without a document', async () => {
    const { manager } = shop.dataSource;
    const rows = Array.from({ length: 9 }, () => invoice('audit'));
    await transaction((inside) => inside.save(rows));
    const audit = async () => shop.series.audit('invoice', { manager, scope: 'audit', period: '2026' });
    const clean = {
      scope: 'audit',
      period: '2026',
      first: 1,
      last: 9,
      gaps: [],
      duplicates: [],
      voided: [],
      withoutDocument: [],
      unknown: [],
    };
    expect(await audit()).toEqual([clean]);

    await manager.delete(Invoice, { id: rows[1]?.id });
    await manager.delete(Invoice, { id: rows[2]?.id });
    await manager.query("UPDATE invoices SET number = 'INV-2026-00005' WHERE number = 'INV-2026-00006'");
    await manager.query("DELETE FROM snowflake_series_entry WHERE scope = 'audit' AND number IN (1, 8, 9)");
    expect(await audit()).toEqual([
      {
        ...clean,
        first: 2,
        gaps: [
          { from: 1, to: 1 },
          { from: 8, to: 9 },
        ],
        duplicates: [{ text: 'INV-2026-00005', rows: 2 }],
        withoutDocument: [
          { from: 2, to: 3 },
          { from: 6, to: 6 },
        ],
        unknown: [1, 8, 9].map((number) => ({ text: `INV-2026-0000${number}`, rows: 1 })),
      },
    ]);
  });

  it('refuses to audit what is not a period', async () => {
    const { manager } = shop.dataSource;
    for (const period of [{}, 2026, '', '20\0', ['2026']]) {
      const attempt = shop.series.audit('order', { manager, period: period as string });
      await expect(attempt).rejects.toThrow(/^period is not /);
    }
  });

  it('reports numbers without a key as numbers without a document', async () => {
    await textOf('keys', { document: 'a' });
    await textOf('keys');
    const { manager } = shop.dataSource;
    const [audit] = await shop.series.audit('order', { manager, scope: 'keys' });
    expect(audit?.withoutDocument).toEqual([{ from: 2, to: 2 }]);
  });
});

describe.each(DRIVERS)('a text that a series has made before on %s', (driver) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop(driver, `series_texts_${driver}`);
  });
  afterAll(() => shop?.close());

  /** Takes a number, as a version of the app does that lets the series start anew each month or each year. */
  const take = (resets: 'month' | 'year'): Promise<SeriesNumberTaken> => {
    const series = new Series({ bill: { format: 'A{year}{month}-{number:4}', resets, zone: 'UTC' } });
    return series.transaction(shop.dataSource, (manager) =>
      series.next('bill', { manager, date: '2026-11-03' }),
    );
  };

  it('refuses a text that was made before when `resets` has changed', async () => {
    expect((await take('month')).text).toBe('A202611-0001');
    await expect(take('year')).rejects.toMatchObject({
      code: 'SNOWFLAKE_STORE_REJECTED',
      message: expect.stringContaining('`resets`'),
    });
    expect((await take('month')).text).toBe('A202611-0002');
  });

  it('makes a text again without the unique index (control)', async () => {
    const ofTable = driver === 'mysql' || driver === 'mariadb' ? ' ON snowflake_series_entry' : '';
    await shop.dataSource.query(`DROP INDEX snowflake_series_entry_by_text${ofTable}`);
    expect((await take('year')).text).toBe('A202611-0001');
  });
});
