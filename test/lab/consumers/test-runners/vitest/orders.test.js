import { expect, it, vi } from 'vitest';
import { declareTests } from '../support/tests.cjs';

declareTests({
  it,
  testFile: import.meta.url,
  freeze: () => vi.useFakeTimers({ now: new Date('2026-01-01') }),
  thaw: () => vi.useRealTimers(),
  matchSnapshot: (ids) => expect(ids).toMatchSnapshot(),
});
