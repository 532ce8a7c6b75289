import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { BitLayout, IdDecoder } from 'nestjs-snowflake/core';
import { duplicatesIn, firstDescent } from '../../../lease/support/id-checks.js';
import { waitFor } from '../../../support/wait.js';
import { FaultyProxy, type Repeating } from '../../../support/proxies/faulty-proxy.js';
import { readFrames } from '../../faults/support/id-frames.js';
import { type Issuer, TIMEOUT_MS } from '../../faults/support/issuer.js';
import { idsFile } from '../../faults/support/issuer-job.js';
import type { LeaseService } from '../../faults/support/lease-service.js';
import { REGISTRY_KEY, Stage } from '../../faults/support/stage.js';
import { ExampleIssuer, type ExampleLease, type ExampleSetting, LAYOUT } from './support/example-issuer.js';
import { ExamplePrograms, type Language } from './support/example-languages.js';

const WITHIN_MS = 4 * TIMEOUT_MS;
const ROUNDS = 3;
const DURATIONS = { windowMs: 4000, renewEveryMs: 400, maxSkewMs: 1000, callTimeoutMs: 500 };

/** The lab's own values are shorter. */
const NODE_DEFAULTS = {
  windowMs: 60_000,
  renewEveryMs: 10_000,
  maxSkewMs: 5000,
  callTimeoutMs: 2000,
};
const LANGUAGES: readonly Language[] = ['Python', 'Go'];

const programs = new ExamplePrograms();
/** One service for all tests: each begins with an empty registry. */
const servers = new Stage();
let registry: Redis;
let service: LeaseService;
let stage: Stage;
let examples: ExampleIssuer[];

beforeAll(async () => {
  const { url } = await servers.redis();
  registry = servers.client(url);
  service = await servers.service({ url });
}, TIMEOUT_MS);
beforeEach(async () => {
  stage = new Stage();
  examples = [];
  await registry.del(REGISTRY_KEY);
}, TIMEOUT_MS);
afterEach(() => stage.close(), TIMEOUT_MS);
afterAll(async () => {
  await servers.close();
  programs.remove();
}, TIMEOUT_MS);

/** Starts the first process, which asserts that the namespace is new. It is one with Node.js. */
async function startNode(workerCount: number): Promise<Issuer> {
  const lease = { ...DURATIONS, reserveMs: 600, acquireTimeoutMs: 90_000, workerCount };
  stage.set({ services: [service.url], lease });
  return stage.startOne();
}

const decoder = new IdDecoder(new BitLayout(LAYOUT));
const leaseOf = (workerCount: number): ExampleLease => ({ ...DURATIONS, workerCount });

async function spawnExample(
  language: Language,
  workerCount: number,
  setting: Partial<ExampleSetting> = {},
): Promise<ExampleIssuer> {
  const all = { urls: [service.url], lease: leaseOf(workerCount), ...setting };
  const issuer = await ExampleIssuer.spawn(stage, programs, language, all);
  examples.push(issuer);
  return issuer;
}

async function startExample(...given: Parameters<typeof spawnExample>): Promise<ExampleIssuer> {
  const issuer = await spawnExample(...given);
  await issuer.until('issuing');
  return issuer;
}

const startExamples = (workerCount: number, setting?: Partial<ExampleSetting>): Promise<ExampleIssuer[]> =>
  Promise.all(LANGUAGES.map((language) => startExample(language, workerCount, setting)));

/** The IDs of each process. */
function allIds(): BigUint64Array[] {
  const node = stage.issuers.flatMap(({ job }) => readFrames(idsFile(job, 0)).map(({ ids }) => ids));
  return [...node, ...examples.flatMap(({ ids, idsOfFork }) => [ids, idsOfFork])];
}

const workerIdsIn = (ids: BigUint64Array): Set<number> =>
  new Set(Array.from(ids, (id) => decoder.decode(id).workerId));

/** Resolves to how many IDs were made twice, as soon as there are some. */
function duplicates(): Promise<number> {
  return waitFor('duplicates', TIMEOUT_MS, async () => {
    await delay(200);
    return duplicatesIn(allIds()).length || undefined;
  });
}

/** A process in another language is paused for longer than its window, and one with Node.js gets its worker ID. */
async function handOnToNode(
  language: Language,
  setting: Partial<ExampleSetting> = {},
): Promise<[ExampleIssuer, Issuer]> {
  const first = await startNode(1);
  await first.leave();
  const paused = await startExample(language, 1, setting);
  paused.pause();
  const successor = await stage.startOne();
  expect(successor.workerId).toBe(0);
  paused.resume();
  return [paused, successor];
}

/** A load balancer answers a new process in another language with the grant of another one. */
async function repeatGrant(
  language: Language,
  how: Repeating,
): Promise<[FaultyProxy, ExampleIssuer, ExampleIssuer]> {
  const workerCount = 8;
  await startNode(workerCount);
  const proxy = await FaultyProxy.start(service.url);
  stage.defer(() => proxy.close());
  const urls = [proxy.url];
  const holder = await startExample(language, workerCount, { urls });
  proxy.repeat(how);
  const newcomer = await spawnExample(language, workerCount, { urls });
  return [proxy, holder, newcomer];
}

describe('a client in another language that is written from the page on the protocol [promise: unique]', () => {
  it(
    'generates no ID that a process of another language makes, while all and the service are killed',
    async () => {
      const workerCount = 8;
      let node = await startNode(workerCount);
      let killed = await startExamples(workerCount);
      const stepping = await startExamples(workerCount, { variant: 'steps back' });
      for (let round = 0; round < ROUNDS; round += 1) {
        await Promise.all([service, node, ...killed].map((each) => each.kill()));
        await service.restart();
        [node, killed] = await Promise.all([stage.startOne(), startExamples(workerCount)]);
        await Promise.all(stepping.map((each) => each.untilIssuing()));
      }
      await Promise.all([node, ...killed, ...stepping].map((each) => each.leave()));

      expect(duplicatesIn(allIds())).toEqual([]);
      expect(Math.min(...examples.map(({ ids }) => ids.length))).toBeGreaterThan(0);
      for (const { ids } of stepping) {
        expect(ids.length).toBeGreaterThan(10_000);
        expect(firstDescent(ids)).toBe(-1);
      }
    },
    WITHIN_MS,
  );

  it(
    'shares a namespace in Go with Node.js if both have their defaults',
    async () => {
      stage.set({ services: [service.url], layout: {}, lease: NODE_DEFAULTS });
      const node = await stage.startOne();
      const go = await startExample('Go', 0, { lease: undefined });
      await Promise.all([node.leave(), go.leave()]);
      expect(new IdDecoder(new BitLayout()).decode(go.ids[0]!).workerId).toBe(
        go.reports.find(({ event }) => event === 'issuing')?.workerId,
      );
      expect(duplicatesIn(allIds())).toEqual([]);
    },
    WITHIN_MS,
  );

  it.each(LANGUAGES)(
    'keeps its IDs in order in %s while its clock steps back and it gets one worker ID after another',
    async (language) => {
      const workerCount = 64;
      await startNode(workerCount);
      const proxy = await FaultyProxy.start(service.url);
      stage.defer(() => proxy.close());
      proxy.forgetClaims();
      const stepping = await startExample(language, workerCount, {
        urls: [proxy.url],
        variant: 'steps back',
      });
      // With a new one at each renewal, these take longer than a step of its clock.
      await waitFor('ten worker IDs', TIMEOUT_MS, () => workerIdsIn(stepping.ids).size >= 10);
      await stepping.leave();
      expect(firstDescent(stepping.ids)).toBe(-1);
      expect(duplicatesIn(allIds())).toEqual([]);
    },
    WITHIN_MS,
  );

  it.each(LANGUAGES)(
    'stops in %s at the end of its window, and leases anew when it can',
    async (language) => {
      const [paused, successor] = await handOnToNode(language);
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

  it.each(LANGUAGES)(
    'generates IDs of another process in %s without comparing its ticks with the window (control)',
    async (language) => {
      await handOnToNode(language, { variant: 'ignores the end of the window' });
      expect(await duplicates()).toBeGreaterThan(0);
    },
    WITHIN_MS,
  );

  it.each(LANGUAGES)(
    'refuses in %s the grant of another process that a load balancer repeats',
    async (language) => {
      const [proxy, holder, newcomer] = await repeatGrant(language, 'as it was');
      await holder.until('failed');
      expect(newcomer.reports.map(({ event }) => event)).not.toContain('issuing');
      proxy.heal();
      await newcomer.until('issuing');
      await Promise.all([holder.leave(), newcomer.leave()]);
      expect(duplicatesIn(allIds())).toEqual([]);
    },
    WITHIN_MS,
  );

  it.each(LANGUAGES)(
    'generates IDs of another process in %s when a repeated grant has the name of its call (control)',
    async (language) => {
      await repeatGrant(language, 'under the name of the call');
      expect(await duplicates()).toBeGreaterThan(0);
    },
    WITHIN_MS,
  );

  it(
    'generates no IDs in a process that Python has forked, which has the lease of its parent',
    async () => {
      await startNode(8);
      const forking = await startExample('Python', 8, { forks: true });
      await forking.until('failed');
      await forking.untilIssuing();
      await forking.leave();
      expect(forking.idsOfFork.length).toBe(0);
      expect(duplicatesIn(allIds())).toEqual([]);
    },
    WITHIN_MS,
  );

  it(
    'generates IDs of its parent in a process that Python has forked without comparing process IDs (control)',
    async () => {
      await startNode(8);
      await startExample('Python', 8, { forks: true, variant: 'ignores forks' });
      expect(await duplicates()).toBeGreaterThan(0);
    },
    WITHIN_MS,
  );
});
