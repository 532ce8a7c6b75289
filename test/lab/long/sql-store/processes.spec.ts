import { duplicatesIn } from '../../../lease/support/id-checks.js';
import { spawnChild, type TestChild } from '../../../support/child.js';
import { IssuingProcesses } from '../../../support/issuing-processes.js';
import type { SqlIssuingJob } from './support/issuing-job.js';

const PROCESSES = 4;
const TIMEOUT_MS = 90_000;

interface Report {
  readonly status: 'issued';
  readonly workerId: number;
  readonly renewals: number;
}

const issuers = new IssuingProcesses<SqlIssuingJob>(new URL('./children/issuer.ts', import.meta.url));
const jobOn = (file: string) => ({ database: issuers.pathOf(file), batches: 60 });
const waiters: TestChild[] = [];
afterAll(() => Promise.all(waiters.map((waiter) => waiter.kill())));

describe('processes on one SQLite file', () => {
  it(
    'generate no ID twice, renew next to each other, and outlive a process that is killed',
    async () => {
      const job = jobOn('shared.sqlite');
      const { processes, reports } = await issuers.issue<Report>(
        Array.from({ length: PROCESSES }, () => job),
      );
      expect(new Set(reports.map(({ workerId }) => workerId)).size).toBe(PROCESSES);
      expect(Math.min(...reports.map(({ renewals }) => renewals))).toBeGreaterThan(0);

      await processes[0]!.child.kill('SIGKILL');
      const { processes: successors } = await issuers.issue([job]);
      await Promise.all([...successors, ...processes.slice(1)].map((each) => each.leave()));

      const parts = [...successors, ...processes].map(({ ids }) => ids);
      expect(Math.min(...parts.map(({ length }) => length))).toBeGreaterThan(100_000);
      expect(duplicatesIn(parts)).toEqual([]);
    },
    4 * TIMEOUT_MS,
  );

  // Control: the same processes, which do not see each other, and the same checks.
  it(
    'make duplicates when each has a file of its own',
    async () => {
      const { processes } = await issuers.issue([jobOn('own-1.sqlite'), jobOn('own-2.sqlite')]);
      await Promise.all(processes.map((each) => each.leave()));
      expect(duplicatesIn(processes.map(({ ids }) => ids))).not.toEqual([]);
    },
    3 * TIMEOUT_MS,
  );

  it(
    'stay alive while they wait for a worker ID',
    async () => {
      const file = new URL('./children/waiter.ts', import.meta.url);
      for (let count = 0; count < 3; count += 1) {
        waiters.push(spawnChild(file, { args: [issuers.pathOf('one-worker-id.sqlite')] }));
      }
      expect(await Promise.all(waiters.map((waiter) => waiter.untilEnd(TIMEOUT_MS)))).toEqual(
        waiters.map(() => ({ code: 0, signal: null })),
      );
    },
    3 * TIMEOUT_MS,
  );
});
