import { runBilling } from './support/billing.js';
import type { Driver } from './support/invoices.js';

const DRIVERS: readonly Driver[] = ['sqlite', 'postgres', 'mariadb'];
const small = { processes: 2, atATime: 16, transactions: 60, killed: 1 };

describe.each(DRIVERS)('processes that write invoices across New Year on %s', (driver) => {
  it('leave no gap and no duplicate, though one is killed and a tenth of the transactions is rolled back', async () => {
    const verdict = await runBilling({ driver, way: 'series', ...small }, `billing_${driver}`);
    expect(verdict).toMatchObject({ counters: 4, gaps: [], duplicates: [], lost: [] });
    expect(verdict.audits.map(({ gaps, withoutDocument }) => [gaps, withoutDocument])).toEqual(
      Array.from({ length: 4 }, () => [[], []]),
    );
    expect(verdict.documents).toBeGreaterThanOrEqual(2 * 54);
  }, 300_000);
});
