import { type LeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake';
import { PageCode } from './page-code.js';

const page = new PageCode('docs/stores/fixed-worker-ids.md');
const before = { ...process.env };

afterAll(() => {
  process.env = before;
});

async function workerIdOf(store: LeaseStore): Promise<number> {
  const ids = new SnowflakeIdMaker({ store });
  await ids.start();
  const { workerId } = ids.decode(ids.nextId());
  await ids.stop();
  return workerId;
}

describe('the code of the page on fixed worker IDs', () => {
  it('takes the worker ID from the ordinal of a pod', async () => {
    Object.assign(process.env, { KUBERNETES_SERVICE_HOST: '10.0.0.1', POD_INDEX: '3' });
    expect(await workerIdOf(await page.run<LeaseStore>('kubernetes.store.ts', 'store'))).toBe(515);
  });

  it('the specs have run every file of the page', () => {
    // The spec on Redis runs it.
    expect(page.notRun()).toEqual(['ids.module.ts']);
  });
});
