import { KINDS } from '../../../integration/sql-store/support/databases.js';
import { runCrowd, runStrangers } from './support/crowd.js';

const TOTAL = 20_000_000;
const BOUND_MS = 900_000;

describe.each(KINDS)('eight processes that claim segments of one tag on %s [promise: segments]', (kind) => {
  it(
    'issues 20 million numbers, none twice, although two processes are killed',
    async () => {
      const verdict = await runCrowd(kind, TOTAL, true);
      expect(verdict.issued).toBeGreaterThanOrEqual(TOTAL);
      expect(verdict.duplicates).toBe(0);
      expect(verdict.held).toBeGreaterThan(0);
    },
    BOUND_MS,
  );

  it(
    'loses no number if all processes are stopped by SIGTERM',
    async () => {
      const verdict = await runCrowd(kind, TOTAL / 10, false);
      expect(verdict).toEqual({ issued: TOTAL / 10, duplicates: 0, lost: 0, held: 0 });
    },
    BOUND_MS,
  );
});

describe('two processes that claim segments in tables of their own [promise: segments]', () => {
  it('repeats every number (control)', async () => expect(await runStrangers('SQLite')).toBe(5000));
});
