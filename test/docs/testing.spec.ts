import 'reflect-metadata';
import { jest } from '@jest/globals';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import libsql from 'libsql';
import {
  LeaseExhaustedError,
  memoryLeaseStore,
  SnowflakeIdMaker,
  SnowflakeModule,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { systemClock } from 'nestjs-snowflake/core';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { prepareDatabase, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { DataSource, Entity } from 'typeorm';
import { CapturedLogs } from '../nest/support/captured-logs.js';
import { freePort } from '../support/servers/index.js';
import { PageCode, testThatAllHaveRun } from './page-code.js';

const code = new PageCode('docs/guides/testing.md');
@Entity('bare')
class Bare {
  @SnowflakeId()
  id!: string;
}

describe('the claims of the page on testing', () => {
  it('a start against a Redis that is down fails with the reason after acquireTimeoutMs', async () => {
    process.env.REDIS_URL = `redis://localhost:${await freePort()}`;
    const testIds = SnowflakeModule.forRoot({
      store: redisLeaseStore({ url: process.env.REDIS_URL, namespace: 'test' }),
      lease: { acquireTimeoutMs: 3_000, possibleLoss: 'ignore' },
    });
    const boot = Test.createTestingModule({ imports: [testIds] })
      .setLogger(new CapturedLogs())
      .compile();
    await expect(boot).rejects.toMatchObject({
      code: 'SNOWFLAKE_ACQUIRE_TIMEOUT',
      cause: expect.objectContaining({ code: 'SNOWFLAKE_STORE_UNAVAILABLE' }),
    });
  });

  it('compile() alone attaches no ID maker to the DataSource', async () => {
    const module: TestingModule = await Test.createTestingModule({
      imports: [
        SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) }),
        TypeOrmModule.forRoot({
          type: 'better-sqlite3',
          driver: libsql,
          database: ':memory:',
          prepareDatabase,
          entities: [Bare],
          synchronize: true,
        }),
      ],
    }).compile();
    await expect(module.get(DataSource).manager.save(Bare, {})).rejects.toThrow('NOT NULL');
    await module.close();
  });

  it('a jump of the fake clock does not leave the window of a lease', async () => {
    const startedMs = Date.now();
    const clock = { ...systemClock };
    const ids = new SnowflakeIdMaker(
      { store: memoryLeaseStore({ clock: { now: () => startedMs } }) },
      { clock },
    );
    await ids.start();
    clock.now = () => startedMs + 3_600_000;
    expect(ids.decode(ids.nextId()).timestampMs).toBeGreaterThan(startedMs);
    expect(ids.decode(ids.nextId()).timestampMs).toBeLessThan(startedMs + 60_000);
    await ids.stop();
  });

  it('a test can make the maker throw what it throws while the store is unreachable', () => {
    const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
    jest.spyOn(ids, 'nextId').mockImplementation(() => {
      throw new LeaseExhaustedError(7, new Date());
    });
    expect(() => ids.nextId()).toThrow(expect.objectContaining({ retryable: true }));
  });

  it('Jest counts its workers from 1', () => {
    expect(Number(process.env.JEST_WORKER_ID)).toBeGreaterThanOrEqual(1);
  });

  it('IDs below 2 ** 53 survive as JSON numbers, and real ones do not', () => {
    const afterJson = (id: string): string => String(JSON.parse(id));
    expect(afterJson('1001')).toBe('1001');
    expect(afterJson('382475217496248322')).not.toBe('382475217496248322');
  });
});

// These specs of the page run as tests of this spec.
await code.import('src/orders.service.spec.ts');
await code.import('src/orders.database.spec.ts');
await code.import('test/app.e2e-spec.ts');

it('IDs of a fixed worker ID follow the fake clock', async () => {
  const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
  await ids.start();
  const nextYear = new Date(Date.now() + 365 * 86_400_000);

  jest.useFakeTimers({ now: nextYear });
  expect(ids.decode(ids.nextId()).timestamp).toEqual(nextYear);
  jest.useRealTimers();

  await ids.stop();
});

it('after the fake clock, IDs of the fixed worker ID lie in the next year', async () => {
  const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 7 }) });
  await ids.start();
  expect(ids.decode(ids.nextId()).timestampMs).toBeGreaterThan(Date.now() + 364 * 86_400_000);
  await ids.stop();
});

testThatAllHaveRun(code);
