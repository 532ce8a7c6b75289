import type { LeaseStore } from 'nestjs-snowflake';
import { PageCode } from './page-code.js';

const page = new PageCode('docs/stores/local-window.md');

afterAll(() => page.remove());

it('the code of the page on windows on disk makes a store', async () => {
  process.env.REDIS_URL = 'redis://localhost:6379';
  const store = await page.run<LeaseStore>('local-window.store.ts', 'store');
  expect(store).toMatchObject({ description: 'redis namespace "shop"', renewable: true });
  await store.close();
  expect(page.notRun()).toEqual([]);
});
