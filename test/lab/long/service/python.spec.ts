import { setTimeout as delay } from 'node:timers/promises';
import { duplicatesIn, firstDescent } from '../../../lease/support/id-checks.js';
import { waitFor } from '../../../support/wait.js';
import { readFrames } from '../../faults/support/id-frames.js';
import { type Issuer, TIMEOUT_MS } from '../../faults/support/issuer.js';
import { idsFile } from '../../faults/support/issuer-job.js';
import type { LeaseService } from '../../faults/support/lease-service.js';
import { type Repeating, RepeatingProxy } from '../../faults/support/repeating-proxy.js';
import { Stage } from '../../faults/support/stage.js';
import { type PythonLease, PythonIssuer, type PythonSetting } from './support/python-issuer.js';

const WITHIN_MS = 4 * TIMEOUT_MS;
const ROUNDS = 3;
const DURATIONS = { windowMs: 4000, renewEveryMs: 400, maxSkewMs: 1000, callTimeoutMs: 500 };

let stage: Stage;
let service: LeaseService;
let python: PythonIssuer[];

beforeEach(async () => {
  stage = new Stage();
  python = [];
  const redis = await stage.redis();
  service = await stage.service({ url: redis.url });
}, TIMEOUT_MS);
afterEach(() => stage.close(), TIMEOUT_MS);

/** Starts the first process, which asserts that the namespace is new. It is one with Node.js. */
async function startNode(workerCount: number): Promise<Issuer> {
  const lease = { ...DURATIONS, reserveMs: 600, acquireTimeoutMs: 90_000, workerCount };
  stage.set({ services: [service.url], lease });
  return stage.startOne();
}

function leaseOf(workerCount: number): PythonLease {
  const { windowMs, renewEveryMs, maxSkewMs, callTimeoutMs } = DURATIONS;
  return {
    window_ms: windowMs,
    renew_every_ms: renewEveryMs,
    max_skew_ms: maxSkewMs,
    call_timeout_ms: callTimeoutMs,
    worker_count: workerCount,
  };
}

async function startPython(workerCount: number, setting: Partial<PythonSetting> = {}): Promise<PythonIssuer> {
  const urls = [service.url];
  const issuer = PythonIssuer.spawn(stage, { urls, lease: leaseOf(workerCount), ...setting });
  python.push(issuer);
  await issuer.until('issuing');
  return issuer;
}

/** The IDs of each process. */
function allIds(): BigUint64Array[] {
  const node = stage.issuers.flatMap(({ job }) => readFrames(idsFile(job, 0)).map(({ ids }) => ids));
  return [...node, ...python.flatMap(({ ids, idsOfFork }) => [ids, idsOfFork])];
}

/** Resolves to how many IDs were made twice, as soon as there are some. */
function duplicates(): Promise<number> {
  return waitFor('duplicates', TIMEOUT_MS, async () => {
    await delay(200);
    return duplicatesIn(allIds()).length || undefined;
  });
}

/** A Python process is paused for longer than its window, and one with Node.js gets its worker ID. */
async function handOnToNode(setting: Partial<PythonSetting>): Promise<[PythonIssuer, Issuer]> {
  const first = await startNode(1);
  await first.leave();
  const paused = await startPython(1, setting);
  paused.pause();
  const successor = await stage.startOne();
  expect(successor.workerId).toBe(0);
  paused.resume();
  return [paused, successor];
}

/** A load balancer answers a new Python process with the grant of another one. */
async function repeatGrant(how: Repeating): Promise<[RepeatingProxy, PythonIssuer, PythonIssuer]> {
  const workerCount = 8;
  await startNode(workerCount);
  const proxy = await RepeatingProxy.start(service.url);
  stage.defer(() => proxy.close());
  const urls = [proxy.url];
  const holder = await startPython(workerCount, { urls });
  proxy.repeat(how);
  const newcomer = PythonIssuer.spawn(stage, { urls, lease: leaseOf(workerCount) });
  python.push(newcomer);
  return [proxy, holder, newcomer];
}

describe('a Python client that is written from the page on the protocol [promise: unique]', () => {
  it(
    'makes no ID that a process with Node.js makes, while both and the service are killed',
    async () => {
      const workerCount = 4;
      let node = await startNode(workerCount);
      let killed = await startPython(workerCount);
      const stepping = await startPython(workerCount, { clock: 'steps back' });
      for (let round = 0; round < ROUNDS; round += 1) {
        await Promise.all([service.kill(), node.kill(), killed.kill()]);
        await service.restart();
        [node, killed] = await Promise.all([stage.startOne(), startPython(workerCount)]);
        await stepping.untilIssuing();
      }
      await Promise.all([node.leave(), killed.leave(), stepping.leave()]);

      expect(duplicatesIn(allIds())).toEqual([]);
      expect(Math.min(...python.map(({ ids }) => ids.length))).toBeGreaterThan(0);
      expect(stepping.ids.length).toBeGreaterThan(10_000);
      expect(firstDescent(stepping.ids)).toBe(-1);
    },
    WITHIN_MS,
  );

  it(
    'stops at the end of its window, and leases anew when it can',
    async () => {
      const [paused, successor] = await handOnToNode({});
      const { length } = paused.reports;
      await paused.until('failed');
      await successor.untilIssuing();
      await successor.leave();
      expect(await paused.until('issuing', length)).toMatchObject({ workerId: 0 });
      await paused.leave();
      expect(duplicatesIn(allIds())).toEqual([]);
    },
    WITHIN_MS,
  );

  it(
    'would make IDs of another process if it did not compare its ticks with the window (control)',
    async () => {
      await handOnToNode({ defect: 'ignores the end of the window' });
      expect(await duplicates()).toBeGreaterThan(0);
    },
    WITHIN_MS,
  );

  it(
    'refuses the grant of another process that a load balancer repeats',
    async () => {
      const [proxy, holder, newcomer] = await repeatGrant('as it was');
      await holder.until('failed');
      expect(newcomer.reports.map(({ event }) => event)).not.toContain('issuing');
      proxy.heal();
      await newcomer.until('issuing');
      await Promise.all([holder.leave(), newcomer.leave()]);
      expect(duplicatesIn(allIds())).toEqual([]);
    },
    WITHIN_MS,
  );

  it(
    'would make IDs of another process if a repeated grant had the name of its call (control)',
    async () => {
      await repeatGrant('under the name of the call');
      expect(await duplicates()).toBeGreaterThan(0);
    },
    WITHIN_MS,
  );

  it(
    'makes no IDs in a forked process, which has the lease of its parent',
    async () => {
      await startNode(8);
      const forking = await startPython(8, { forks: true });
      await forking.until('failed');
      await forking.untilIssuing();
      await forking.leave();
      expect(forking.idsOfFork.length).toBe(0);
      expect(duplicatesIn(allIds())).toEqual([]);
    },
    WITHIN_MS,
  );

  it(
    'would make IDs of its parent in a forked process if it did not compare process IDs (control)',
    async () => {
      await startNode(8);
      await startPython(8, { forks: true, defect: 'ignores forks' });
      expect(await duplicates()).toBeGreaterThan(0);
    },
    WITHIN_MS,
  );
});
