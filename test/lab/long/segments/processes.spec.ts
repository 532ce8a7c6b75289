import { KINDS } from '../../../integration/sql-store/support/databases.js';
import { runCrowd, runStrangers } from './support/crowd.js';

const BOUND_MS = 900_000;

describe.each(KINDS)('segments of one tag on %s [promise: segments]', (kind) => {
  it(
    'eight processes issue 20 million numbers, none twice and none lost, although two of them are killed',
    async () => {
      const total = 20_000_000;
      const verdict = await runCrowd(kind, { processes: 8, killed: 2, total });
      expect(verdict.issued).toBeGreaterThanOrEqual(total);
      expect(verdict).toMatchObject({ duplicates: 0, lost: 0 });
      expect(verdict.held).toBeGreaterThan(0);
    },
    BOUND_MS,
  );

  it(
    'three processes lose no number and hold none if all are stopped by SIGTERM',
    async () => {
      const total = 1_500_000;
      const verdict = await runCrowd(kind, { processes: 3, killed: 0, total });
      expect(verdict).toEqual({ issued: total, duplicates: 0, lost: 0, held: 0 });
    },
    BOUND_MS,
  );
});

describe('segments of one tag in two tables [promise: segments]', () => {
  it('two processes with a table each repeat every number (control)', async () => {
    expect(await runStrangers('SQLite')).toBe(5000);
  });
});
