import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RegistryRow } from 'nestjs-snowflake/store';
import { spawnChild, type TestChild } from '../../../support/child.js';
import { startRedis, type RedisServer } from '../../../support/servers/index.js';
import { type CrowdJob, type CrowdReport, idsPerMember, readCrowd } from './support/crowd-job.js';
import { Inspector } from '../../../lease/support/inspector.js';
import { duplicatesInSorted, firstDescent } from '../../../lease/support/id-checks.js';

const PROCESSES = 8;
const THREADS = 8;
const MEMBERS = PROCESSES + THREADS;
const IDS = 10_000_000;
const BATCHES = 25;
const TIMEOUT_MS = 180_000;
const LAYOUT = { workerBits: 10, sequenceBits: 12 };
const WORKER_MASK = 2 ** LAYOUT.workerBits - 1;

interface Outcome {
  readonly job: CrowdJob;
  readonly report: CrowdReport;
  /** All IDs, member by member, the processes first. */
  readonly ids: BigUint64Array;
}

let server: RedisServer;
let directory: string;
const children = new Set<TestChild>();

beforeAll(async () => {
  server = await startRedis();
  directory = mkdtempSync(join(tmpdir(), 'snowflake-crowd-'));
});
afterAll(async () => {
  await Promise.all([...children].map((child) => child.kill()));
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

/**
 * Runs a cluster whose processes and threads all hold their worker IDs before the first of them issues, until the last
 * one has issued. `whileHolding` sees them in between.
 */
async function runCrowd(
  name: string,
  settings: Omit<CrowdJob, 'folder'>,
  whileHolding?: () => Promise<void>,
): Promise<Outcome> {
  const job: CrowdJob = { ...settings, folder: join(directory, name) };
  mkdirSync(job.folder);
  const primary = spawnChild(new URL('./children/cluster-primary.ts', import.meta.url), {
    args: [JSON.stringify(job)],
  });
  children.add(primary);
  const nextReport = (word: CrowdReport['status']) =>
    primary.next((message): message is CrowdReport => (message as CrowdReport).status === word, TIMEOUT_MS);
  await nextReport('holding');
  await whileHolding?.();
  primary.send({ order: 'go' });
  const report = await nextReport('issued');
  primary.send({ order: 'leave' });
  await primary.untilEnd(TIMEOUT_MS);
  return { job, report, ids: readCrowd(job) };
}

/** The IDs of each process and thread, in the order in which they were made. */
function partsOf({ job, ids }: Outcome): BigUint64Array[] {
  const length = idsPerMember(job);
  return Array.from({ length: ids.length / length }, (_, index) =>
    ids.subarray(index * length, (index + 1) * length),
  );
}

/** Read from the bits themselves, for every ID: 41 of time, 10 of the worker ID, 12 of the sequence. */
function workerIdsIn(ids: BigUint64Array): number[] {
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
  const seen = new Set<number>();
  for (let low = 0; low < halves.length; low += 2)
    seen.add((halves[low]! >>> LAYOUT.sequenceBits) & WORKER_MASK);
  return [...seen];
}

describe('a cluster of eight processes, with eight threads, on one Redis [promise: unique]', () => {
  let outcome: Outcome;
  let rows: readonly RegistryRow[];

  beforeAll(async () => {
    const namespace = 'crowd';
    const inspector = new Inspector(server.url, namespace);
    const job = {
      lease: { url: server.url, namespace },
      leaseOptions: { windowMs: 120_000, possibleLoss: 'ignore' as const },
      layout: LAYOUT,
      processes: PROCESSES,
      threads: THREADS,
      batches: BATCHES,
      idsPerBatch: IDS / MEMBERS / BATCHES,
    };
    outcome = await runCrowd('leased', job, async () => {
      ({ rows } = await inspector.snapshot());
      await inspector.close();
    });
  }, TIMEOUT_MS * 2);

  it('have one worker ID each, including the primary that generated IDs before it forked', () => {
    const { primary, workerIds } = outcome.report;
    expect(workerIds).toHaveLength(MEMBERS);
    expect(new Set([primary, ...workerIds]).size).toBe(1 + MEMBERS);
  });

  it('have different fencing tokens, each with its own nonce and name', () => {
    const fencingTokens = rows.map(({ fencingToken }) =>
      /^([0-9a-f]{16}):(\S+)\/(\d+)(\/thread-\d+)?@\d+$/.exec(fencingToken),
    );
    expect(fencingTokens).toHaveLength(1 + MEMBERS);
    expect(new Set(fencingTokens.map((fencingToken) => fencingToken?.[1])).size).toBe(1 + MEMBERS);
    const inThreads = fencingTokens.filter((fencingToken) => fencingToken?.[4] !== undefined);
    expect(new Set(inThreads.map((fencingToken) => fencingToken?.[4])).size).toBe(THREADS);
    // The threads are in the process of the primary.
    expect(new Set(inThreads.map((fencingToken) => fencingToken?.[3])).size).toBe(1);
    expect(new Set(fencingTokens.map((fencingToken) => fencingToken?.[3])).size).toBe(1 + PROCESSES);
  });

  it(
    'generate strictly ascending IDs with their own worker ID',
    () => {
      const parts = partsOf(outcome);
      expect(parts.map((part) => firstDescent(part))).toEqual(new Array(MEMBERS).fill(-1));
      expect(parts.map(workerIdsIn)).toEqual(outcome.report.workerIds.map((workerId) => [workerId]));
    },
    TIMEOUT_MS,
  );

  // It comes last, since it sorts the IDs where they stand.
  it(
    'make 10,000,000 IDs, all distinct',
    () => {
      const { ids } = outcome;
      expect(ids.length).toBe(IDS);
      expect(duplicatesInSorted(ids.sort())).toEqual([]);
      const copied = ids[1234]!;
      expect(duplicatesInSorted(ids.fill(copied, 7_654_321, 7_654_322).sort())).toEqual([copied]);
    },
    TIMEOUT_MS,
  );
});

describe('a process and a thread on one worker ID that nobody leases to them [promise: unique]', () => {
  it(
    'make duplicates that the search finds (control)',
    async () => {
      const outcome = await runCrowd('unguarded', {
        lease: { workerId: 1 },
        layout: { workerBits: 10, sequenceBits: 4 },
        // Their clocks stand at the same time, so they meet even if one of them is late.
        standsAtMs: Date.now(),
        processes: 1,
        threads: 1,
        batches: 40,
        idsPerBatch: 2000,
      });
      expect(partsOf(outcome).map((part) => firstDescent(part))).toEqual([-1, -1]);
      expect(duplicatesInSorted(outcome.ids.sort()).length).toBeGreaterThan(1000);
    },
    TIMEOUT_MS,
  );
});
