import { runBilling } from './support/billing.js';
import type { Driver } from '../../../../libs/snowflake-series/test/support/invoices.js';

const DRIVERS: readonly Driver[] = ['sqlite', 'postgres', 'mariadb'];
const large = { processes: 8, atATime: 64, transactions: 120, killed: 3 };

describe.each(DRIVERS)(
  '8 processes with 64 transactions at a time across New Year on %s [promise: series]',
  (driver) => {
    it('leave no gap and no duplicate, though three are killed and a tenth of the transactions is rolled back', async () => {
      const verdict = await runBilling({ driver, way: 'series', ...large }, `billing_${driver}`);
      expect(verdict).toMatchObject({ counters: 4, gaps: [], duplicates: [], lost: [] });
      expect(verdict.audits.map(({ gaps, withoutDocument }) => [gaps, withoutDocument])).toEqual(
        Array.from({ length: 4 }, () => [[], []]),
      );
      expect(verdict.documents).toBeGreaterThanOrEqual(8 * 108);
    }, 600_000);

    // Controls: the same processes and the same checks.
    const few = { processes: 2, atATime: 16, transactions: 100, killed: 0 };

    it('leave gaps if the counter is outside of the transaction (control)', async () => {
      const way = 'counter outside of the transaction';
      const { gaps, audits } = await runBilling({ driver, way, ...few }, `billing_outside_${driver}`);
      expect(gaps).not.toEqual([]);
      expect(audits.some(({ withoutDocument }) => withoutDocument.length > 0)).toBe(true);
    }, 300_000);

    // SQLite lets one process write at a time, and refuses a write after a read that is out of date.
    if (driver !== 'sqlite') {
      it('make duplicates if the counter is not locked (control)', async () => {
        const { duplicates } = await runBilling(
          { driver, way: 'no lock', ...few },
          `billing_unlocked_${driver}`,
        );
        expect(duplicates).not.toEqual([]);
      }, 300_000);
    }
  },
);
