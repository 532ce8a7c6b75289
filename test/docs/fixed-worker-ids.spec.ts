import type { LeaseStore } from 'nestjs-snowflake';
import { leaseOnce } from '../support/lease-once.js';
import { PageCode } from './page-code.js';

const page = new PageCode('docs/stores/fixed-worker-ids.md');
const before = { ...process.env };
afterAll(() => {
  process.env = before;
});

it('the store of the page takes the worker ID from the ordinal of a pod', async () => {
  Object.assign(process.env, { KUBERNETES_SERVICE_HOST: '10.0.0.1', POD_INDEX: '3' });
  expect(await leaseOnce(await page.run<LeaseStore>('kubernetes.store.ts', 'store'))).toBe(515);
  // The spec on Redis runs the other file.
  expect(page.notRun()).toEqual(['ids.module.ts']);
});
