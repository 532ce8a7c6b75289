import { runCrowd, runStrangers } from './support/crowd.js';

const BOUND_MS = 300_000;

describe('eight processes that claim segments of one tag [promise: segments]', () => {
  it(
    'issue no number twice on SQLite, and lose none at SIGTERM',
    async () => {
      const verdict = await runCrowd('SQLite', 200_000, false);
      expect(verdict).toEqual({ issued: 200_000, duplicates: 0, lost: 0, held: 0 });
    },
    BOUND_MS,
  );

  it(
    'would be seen to repeat numbers (control)',
    async () => {
      expect(await runStrangers('SQLite')).toBe(5000);
    },
    BOUND_MS,
  );
});
