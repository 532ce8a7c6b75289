import { it, mock } from 'node:test';
import { fileSnapshot } from '../support/file-snapshot.js';
import { declareTests } from '../support/tests.cjs';

declareTests({
  it,
  testFile: import.meta.url,
  freeze: () =>
    mock.timers.enable({ apis: ['Date', 'setTimeout', 'setInterval'], now: new Date('2026-01-01') }),
  thaw: () => mock.timers.reset(),
  matchSnapshot: (ids, name) => fileSnapshot(import.meta.url, name, ids),
});
