import 'reflect-metadata';
import { rmSync } from 'node:fs';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getSnowflakeToken, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { spawnChild, type TestChild } from '../../../support/child.js';
import { startRedis, type RedisServer } from '../../../support/servers/index.js';
import { type CopiesJob, type CopiesReport, copyPackage } from './support/copies-job.js';
import { Inspector } from '../../../lease/support/inspector.js';
import { duplicatesIn, firstDescent } from '../../../lease/support/id-checks.js';
import { MakerPool, workerIdOf } from '../../../lease/support/maker-pool.js';

const IDS_EACH = 5000;
const TIMEOUT_MS = 60_000;
const WAYS = ['import', 'require', 'import with a query', 'import of a copy'];

let server: RedisServer;
const pool = new MakerPool();
const children = new Set<TestChild>();

beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  await Promise.all([...children].map((child) => child.kill()));
  await pool.stopAll();
  await server.stop();
});

/** The nonces of all fencing tokens in a namespace. */
async function noncesIn(namespace: string): Promise<string[]> {
  const inspector = new Inspector(server.url, namespace);
  try {
    const { rows } = await inspector.snapshot();
    return rows.map(({ fencingToken }) => fencingToken.slice(0, fencingToken.indexOf(':')));
  } finally {
    await inspector.close();
  }
}

const storeOf = (namespace: string) => redisLeaseStore({ url: server.url, namespace });
const lease = { possibleLoss: 'ignore' } as const;

describe('a package that is loaded in several ways in one process [promise: unique]', () => {
  const copy = copyPackage();
  afterAll(() => rmSync(copy.folder, { recursive: true, force: true }));

  async function load(from: CopiesJob['lease']): Promise<CopiesReport['loaded']> {
    const job: CopiesJob = { lease: from, copy: copy.url, idsEach: IDS_EACH };
    const child = spawnChild(new URL('./children/package-copies.ts', import.meta.url), {
      args: [JSON.stringify(job)],
    });
    children.add(child);
    const isReport = (message: unknown): message is CopiesReport => 'loaded' in (message as CopiesReport);
    const { loaded } = await child.next(isReport, TIMEOUT_MS);
    if ('namespace' in from) expect(new Set(await noncesIn(from.namespace)).size).toBe(WAYS.length);
    child.send({ order: 'leave' });
    await child.untilEnd(TIMEOUT_MS);
    return loaded;
  }

  const idsOf = (loaded: CopiesReport['loaded']) => loaded.map(({ made }) => made.map(BigInt));

  it('gives each maker of a package that is loaded four times its own worker ID, nonce and IDs', async () => {
    const loaded = await load({ url: server.url, namespace: 'copies' });
    expect(loaded.map(({ way }) => way)).toEqual(WAYS);
    expect(loaded.map(({ workerId }) => workerId)).toEqual([0, 1, 2, 3]);
    expect(idsOf(loaded).map(firstDescent)).toEqual([-1, -1, -1, -1]);
    expect(duplicatesIn(idsOf(loaded))).toEqual([]);
  });

  // Its control, with two versions, is in test/nest/copies.spec.ts.
  it('refuses a fixed worker ID that the package uses already, in whichever way it is loaded', async () => {
    const loaded = await load({ workerId: 1 });
    const refused = 'SNOWFLAKE_INVALID_OPTION';
    expect(loaded.map(({ refusedWith }) => refusedWith)).toEqual(['', refused, refused, refused]);
    expect(idsOf(loaded).map(firstDescent)).toEqual([-1, -1, -1, -1]);
    expect(loaded.map(({ isFirstClass }) => isFirstClass)).toEqual([true, true, true, true]);
  });
});

describe('makers in one process [promise: unique]', () => {
  it('leases a worker ID to each of two named instances in one process', async () => {
    const instance = { useFactory: () => ({ store: storeOf('named'), lease }) };
    @Module({
      imports: [
        SnowflakeModule.forRootAsync(instance),
        SnowflakeModule.forRootAsync({ ...instance, name: 'audit' }),
      ],
    })
    class Root {}
    const app = await NestFactory.createApplicationContext(Root, { logger: false, abortOnError: false });
    try {
      const makers = [undefined, 'audit'].map((name) => app.get<SnowflakeIdMaker>(getSnowflakeToken(name)));
      // They start at the same time.
      expect(makers.map(workerIdOf).toSorted()).toEqual([0, 1]);
      expect(new Set(await noncesIn('named')).size).toBe(2);
      const made = makers.map((maker) => maker.nextBigInts(IDS_EACH));
      expect(duplicatesIn(made)).toEqual([]);
    } finally {
      await app.close();
    }
  });

  it('loses the methods of a maker that is cloned for another thread', async () => {
    const maker = await pool.start({ store: storeOf('threads'), lease });
    const { workerId } = maker.status();
    const clone = structuredClone(maker);
    // Private state is never cloned, and neither is a method: what arrives there can't issue.
    expect([clone, typeof clone.nextId]).toEqual([{}, 'undefined']);
    expect(maker.decode(maker.nextId()).workerId).toBe(workerId);
  });
});
