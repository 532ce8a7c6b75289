import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duplicatesIn } from '../../../lease/support/id-checks.js';
import { spawnChild, type TestChild } from '../../../support/child.js';
import type { SqlIssuingJob } from './support/issuing-job.js';

const PROCESSES = 4;
const BATCHES = 60;
const TIMEOUT_MS = 90_000;

interface Report {
  readonly status: 'holding' | 'issued';
  readonly workerId: number;
  readonly renewals: number;
}

let directory: string;
let runs = 0;
const children: TestChild[] = [];

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'snowflake-sql-processes-'));
});
afterAll(async () => {
  await Promise.all(children.map((child) => child.kill()));
  rmSync(directory, { recursive: true, force: true });
});

interface Issuer {
  readonly child: TestChild;
  readonly idsFile: string;
}

function spawnIssuer(database: string): Issuer {
  runs += 1;
  const idsFile = join(directory, `ids-${runs}`);
  const job: SqlIssuingJob = { database: join(directory, database), idsFile, batches: BATCHES };
  const child = spawnChild(new URL('./children/issuer.ts', import.meta.url), { args: [JSON.stringify(job)] });
  children.push(child);
  return { child, idsFile };
}

function report({ child }: Issuer, word: Report['status']): Promise<Report> {
  return child.next((message): message is Report => (message as Report).status === word, TIMEOUT_MS);
}

async function leave({ child }: Issuer): Promise<void> {
  child.send({ order: 'leave' });
  await child.untilEnd(TIMEOUT_MS);
}

/** A process that was killed may have written a part of its last ID. */
function idsOf({ idsFile }: Issuer): BigUint64Array {
  const bytes = Uint8Array.from(readFileSync(idsFile));
  return new BigUint64Array(bytes.buffer, 0, Math.floor(bytes.length / 8));
}

/** Starts one issuer on each file, lets all begin at the same moment, and waits until each has done its job. */
async function runIssuers(databases: readonly string[]): Promise<readonly [Issuer[], Report[]]> {
  const issuers = databases.map(spawnIssuer);
  await Promise.all(issuers.map((issuer) => report(issuer, 'holding')));
  for (const { child } of issuers) child.send({ order: 'go' });
  return [issuers, await Promise.all(issuers.map((issuer) => report(issuer, 'issued')))];
}

describe('processes on one SQLite file', () => {
  it(
    'make no ID twice, renew next to each other, and outlive a process that is killed',
    async () => {
      const [issuers, reports] = await runIssuers(Array.from({ length: PROCESSES }, () => 'shared.sqlite'));
      expect(new Set(reports.map(({ workerId }) => workerId)).size).toBe(PROCESSES);
      expect(Math.min(...reports.map(({ renewals }) => renewals))).toBeGreaterThan(0);

      await issuers[0]!.child.kill('SIGKILL');
      const successor = spawnIssuer('shared.sqlite');
      await report(successor, 'holding');
      successor.child.send({ order: 'go' });
      await report(successor, 'issued');
      await Promise.all([successor, ...issuers.slice(1)].map(leave));

      const parts = [successor, ...issuers].map(idsOf);
      expect(Math.min(...parts.map(({ length }) => length))).toBeGreaterThan(100_000);
      expect(duplicatesIn(parts)).toEqual([]);
    },
    4 * TIMEOUT_MS,
  );

  // Control: the same processes, which do not see each other, and the same checks.
  it(
    'make duplicates when each has a file of its own',
    async () => {
      const [issuers] = await runIssuers(['own-1.sqlite', 'own-2.sqlite']);
      await Promise.all(issuers.map(leave));
      expect(duplicatesIn(issuers.map(idsOf))).not.toEqual([]);
    },
    3 * TIMEOUT_MS,
  );

  it(
    'stay alive while they wait for a worker ID',
    async () => {
      const spawnWaiter = (): TestChild => {
        const child = spawnChild(new URL('./children/waiter.ts', import.meta.url), {
          args: [join(directory, 'one-worker-id.sqlite')],
        });
        children.push(child);
        return child;
      };
      const waiters = [spawnWaiter(), spawnWaiter(), spawnWaiter()];
      for (const waiter of waiters) {
        await waiter.next(
          (message): message is Report => (message as Report).status === 'holding',
          TIMEOUT_MS,
        );
      }
      expect(await Promise.all(waiters.map((waiter) => waiter.untilEnd(TIMEOUT_MS)))).toEqual(
        waiters.map(() => ({ code: 0, signal: null })),
      );
    },
    3 * TIMEOUT_MS,
  );
});
