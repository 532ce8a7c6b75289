import 'reflect-metadata';
import { jest } from '@jest/globals';
import { LeaseExhaustedError, SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const code = new PageCode('docs/guides/testing.md');

// These specs of the page run as tests of this spec.
await code.import('src/orders.service.spec.ts');
await code.import('src/orders.database.spec.ts');
await code.import('test/app.e2e-spec.ts');

it('a test can make the maker throw what it throws while the store is unreachable', () => {
  const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
  jest.spyOn(ids, 'nextId').mockImplementation(() => {
    throw new LeaseExhaustedError(7, new Date());
  });
  expect(() => ids.nextId()).toThrow(expect.objectContaining({ retryable: true }));
});

it('IDs of a fixed worker ID follow the fake clock, and so do its next ones without it', async () => {
  const nextIdMs = async (): Promise<number> => {
    const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
    await ids.start();
    const { timestampMs } = ids.decode(ids.nextId());
    await ids.stop();
    return timestampMs;
  };
  const nextYearMs = Date.now() + 365 * 86_400_000;
  jest.useFakeTimers({ now: nextYearMs });
  expect(Math.abs((await nextIdMs()) - nextYearMs)).toBeLessThan(10);
  jest.useRealTimers();
  expect(await nextIdMs()).toBeGreaterThanOrEqual(nextYearMs);
});

testThatAllHaveRun(code);
