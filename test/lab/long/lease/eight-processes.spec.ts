import { BitLayout, type BitLayoutOptions, IdDecoder } from 'nestjs-snowflake/core';
import { IssuingProcesses } from '../../../support/issuing-processes.js';
import { startEtcd, startRedis, startZookeeper } from '../../../support/servers/index.js';
import { type Issued, type IssuingJob, readIssued } from './support/issuing-job.js';
import { duplicatesIn, firstDescent } from '../../../lease/support/id-checks.js';

const PROCESSES = 8;
const IDS_PER_ROUND = 10_000;
const ROUNDS = 25;
const TIME_TOLERANCE_MS = 2000;
const TIMEOUT_MS = 120_000;

interface Report {
  readonly status: 'issued';
  readonly workerId: number;
  readonly renewals: number;
}
type Outcome = Issued & Omit<Report, 'status'>;

const issuers = new IssuingProcesses<IssuingJob>(new URL('./children/issuer.ts', import.meta.url));

/** Runs processes that all hold their worker IDs before the first of them issues, until the last one has issued. */
async function runProcesses(jobs: readonly Omit<IssuingJob, 'idsFile'>[]): Promise<readonly Outcome[]> {
  const { processes, reports } = await issuers.issue<Report>(jobs);
  await Promise.all(processes.map((each) => each.leave()));
  return processes.map(({ idsFile }, index) => ({ ...readIssued(idsFile), ...reports[index]! }));
}

const namespace = 'eight';
const STORES = {
  async Redis() {
    const server = await startRedis();
    return { server, lease: { redis: { url: server.url, namespace } } };
  },
  async etcd() {
    const server = await startEtcd({ members: 3 });
    return { server, lease: { etcd: { urls: server.urls, namespace } } };
  },
  async ZooKeeper() {
    const server = await startZookeeper();
    return { server, lease: { zookeeper: { connectString: server.connectString, namespace } } };
  },
};

describe.each(Object.entries(STORES))('eight processes on %s [promise: order, unique]', (_, start) => {
  const layout: BitLayoutOptions = { workerBits: 10, sequenceBits: 12 };
  const decoder = new IdDecoder(new BitLayout(layout));
  let stored: Awaited<ReturnType<typeof start>> | undefined;
  let outcomes: readonly Outcome[];

  beforeAll(async () => {
    stored = await start();
    const job = {
      lease: stored.lease,
      leaseOptions: { windowMs: 120_000, renewEveryMs: 300, possibleLoss: 'ignore' as const },
      layout,
      rounds: ROUNDS,
    };
    outcomes = await runProcesses(Array.from({ length: PROCESSES }, () => job));
  }, TIMEOUT_MS * 2);
  afterAll(() => stored?.server.stop());

  it('make 2,000,000 IDs, all distinct', () => {
    expect(outcomes.reduce((sum, { ids }) => sum + ids.length, 0)).toBe(PROCESSES * ROUNDS * IDS_PER_ROUND);
    expect(duplicatesIn(outcomes.map(({ ids }) => ids))).toEqual([]);
  });

  it('generate IDs that ascend strictly within each process', () => {
    expect(outcomes.map(({ ids }) => firstDescent(ids))).toEqual(new Array(PROCESSES).fill(-1));
  });

  it('generate IDs that decode to within 2 s of the time at which they were made', () => {
    for (const outcome of outcomes) expect(mistimed(outcome, decoder)).toEqual([]);
  });

  it('use eight worker IDs, one each, while their leases are being renewed', () => {
    const used = outcomes.map((outcome) => [...workerIdsOf(outcome)]);
    expect(used).toEqual(outcomes.map(({ workerId }) => [workerId]));
    expect(new Set(used.flat()).size).toBe(PROCESSES);
    for (const { renewals } of outcomes) expect(renewals).toBeGreaterThan(0);
  });

  describe('the checks of their IDs', () => {
    it('find the one ID that is there twice', () => {
      const [first, ...others] = outcomes.map(({ ids }) => ids);
      const withCopy = others[2]!.with(1000, first![777]!);
      expect(duplicatesIn([first!, ...others.with(2, withCopy)])).toEqual([first![777]]);
    });

    it('find an ID out of order (control)', () => {
      const { ids } = outcomes[0]!;
      expect(firstDescent(ids.with(500, ids[499]!).with(499, ids[500]!))).toBe(500);
    });

    it('find an ID of another time and one of another worker ID (control)', () => {
      const { ids, batches } = outcomes[0]!;
      const tooEarly = decoder.firstIdAt(batches[0]!.beforeMs - TIME_TOLERANCE_MS - 1);
      expect(mistimed({ ids: ids.with(0, BigInt(tooEarly)), batches }, decoder)).toEqual([tooEarly]);
      const tooLate = decoder.firstIdAt(batches[2]!.afterMs + TIME_TOLERANCE_MS + 1);
      const lastOfThird = batches[2]!.end - 1;
      expect(mistimed({ ids: ids.with(lastOfThird, BigInt(tooLate)), batches }, decoder)).toEqual([tooLate]);
      expect(workerIdsOf({ ids: ids.with(3, outcomes[1]!.ids[3]!), batches }).size).toBe(2);
    });
  });
});

describe('two processes on one worker ID that nobody leases to them [promise: unique]', () => {
  const layout: BitLayoutOptions = { workerBits: 10, sequenceBits: 4 };

  it(
    'make duplicates that the checks find (control)',
    async () => {
      // Their clocks stand at the same time, so they meet even if one of them is late.
      const job = { lease: { workerId: 1 }, layout, standsAtMs: Date.now(), rounds: 4 };
      const outcomes = await runProcesses([job, job]);
      expect(outcomes.map(({ ids }) => firstDescent(ids))).toEqual([-1, -1]);
      expect(duplicatesIn(outcomes.map(({ ids }) => ids)).length).toBeGreaterThan(1000);
    },
    TIMEOUT_MS * 2,
  );
});

/**
 * IDs whose decoded time lies further than the tolerance from the clock readings around their batch. The first and the
 * last of a batch are enough, because IDs ascend and their time is their most significant field.
 */
function mistimed({ ids, batches }: Issued, decoder: IdDecoder): string[] {
  return batches.flatMap(({ end, beforeMs, afterMs }, index) => {
    const ends = [ids[batches[index - 1]?.end ?? 0]!, ids[end - 1]!].map((id) => decoder.decode(id));
    return ends
      .filter(
        ({ timestampMs }) =>
          timestampMs < beforeMs - TIME_TOLERANCE_MS || timestampMs > afterMs + TIME_TOLERANCE_MS,
      )
      .map(({ id }) => id);
  });
}

/** Read from the bits themselves, for every ID: 41 of time, 10 of the worker ID, 12 of the sequence. */
function workerIdsOf({ ids }: Issued): Set<number> {
  const lowerHalves = new Uint32Array(ids.buffer).filter((_, index) => index % 2 === 0);
  return new Set(lowerHalves.map((half) => (half >>> 12) & 1023));
}
