import { type LeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake';
import { PageCode } from './page-code.js';

const page = new PageCode('docs/stores/fixed-worker-ids.md');
const before = { ...process.env };

afterAll(() => {
  process.env = before;
  page.remove();
});

async function workerIdOf(store: LeaseStore): Promise<number> {
  const ids = new SnowflakeIdMaker({ store });
  await ids.start();
  const { workerId } = ids.decode(ids.nextId());
  await ids.stop();
  return workerId;
}

describe('the code of the page on fixed worker IDs', () => {
  it.each([
    ['the code', 'script.store.ts', {}, 1023],
    ['the environment', 'environment.store.ts', { SNOWFLAKE_WORKER_ID: '7' }, 7],
    [
      'the ordinal of a pod',
      'kubernetes.store.ts',
      { KUBERNETES_SERVICE_HOST: '10.0.0.1', POD_INDEX: '3' },
      515,
    ],
  ])('takes the worker ID from %s', async (_, file, variables, workerId) => {
    Object.assign(process.env, variables);
    expect(await workerIdOf(await page.run<LeaseStore>(file, 'store'))).toBe(workerId);
  });

  it('shares worker IDs between two stores in memory', async () => {
    const stores = await page.run<LeaseStore[]>('memory.store.ts', 'stores');
    const makers = stores.map((store) => new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } }));
    for (const maker of makers) await maker.start();
    expect(makers.map((maker) => maker.status().workerId)).toEqual([0, 1]);
    for (const maker of makers) await maker.stop();
    // The spec on Redis runs it.
    expect(page.notRun()).toEqual(['ids.module.ts']);
  });
});
