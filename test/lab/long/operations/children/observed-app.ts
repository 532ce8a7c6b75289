/**
 * A process of an app whose ID makers get into trouble in one way each. It issues IDs and numbers, takes numbers of a series in slow
 * transactions and calls its own ID service all the time, and ends with SIGKILL.
 */
import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, Header, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import {
  getSnowflakeToken,
  type SnowflakeIdMaker,
  SnowflakeModule,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SegmentModule, Segments, sqlSegmentStore } from 'nestjs-snowflake-segments';
import { Series, SeriesModule, SeriesSubscriber } from 'nestjs-snowflake-series';
import { SnowflakeServiceModule } from 'nestjs-snowflake-service';
import { register } from 'prom-client';
import type { DataSource } from 'typeorm';
import { APPS, type Observed, type ObservedJob } from '../support/observed-job.js';

const job = JSON.parse(process.argv[2] ?? '') as ObservedJob;
const lease = { windowMs: 4000, maxSkewMs: 1000, callTimeoutMs: 500, possibleLoss: 'ignore' } as const;

@Controller('metrics')
class MetricsController {
  @Get()
  @Header('content-type', register.contentType)
  metrics(): Promise<string> {
    return register.metrics();
  }
}

@Module({
  imports: [
    // Its reserve has 16 IDs a millisecond, and is used up in seconds.
    SnowflakeModule.forRoot({
      store: redisLeaseStore({ url: job.failingRedis, namespace: 'shop' }),
      layout: { workerBits: 10, sequenceBits: 4 },
      lease,
    }),
    SnowflakeModule.forRoot({ name: 'twice', store: staticLeaseStore({ workerId: 7 }) }),
    // 2 to the power of 38 ms are less than nine years.
    SnowflakeModule.forRoot({
      name: 'ends',
      store: staticLeaseStore({ workerId: 7 }),
      layout: { timestampBits: 38 },
      epoch: new Date(Date.now() - 8 * 365 * 86_400_000),
    }),
    SnowflakeModule.forRoot({
      name: 'full',
      store: redisLeaseStore({ url: job.redis, namespace: 'full' }),
      lease: { ...lease, workerCount: APPS },
    }),
    SegmentModule.forRoot({
      store: sqlSegmentStore({ url: job.postgres, createTable: true }),
      tags: ['order'],
      maxStep: 1000,
      maxHeld: 2000,
    }),
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: job.postgres,
      subscribers: [SeriesSubscriber],
      retryAttempts: 0,
    }),
    SeriesModule.forRoot({
      createTable: true,
      series: { note: { format: 'N{number}', resets: 'never', zone: 'UTC' } },
    }),
    SnowflakeServiceModule.forRoot({
      // As slow as the server that knows the users.
      authorize: async () => {
        await delay(150);
        return true;
      },
    }),
    SnowflakePrometheusModule.forRoot({ inspect: true }),
  ],
  controllers: [MetricsController],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: false });
await app.listen(0, '127.0.0.1');
const url = await app.getUrl();
const ids = app.get<SnowflakeIdMaker>(getSnowflakeToken());
const numbers = app.get(Segments).source('order');
const series = app.get(Series);
const dataSource = app.get<DataSource>(getDataSourceToken());

/** Calls `next` until nothing is left. */
function issue(next: () => unknown, count: number): void {
  try {
    for (let issued = 0; issued < count; issued++) next();
  } catch {
    // It succeeds again when the store is back.
  }
}

/** Takes numbers, and holds their counter for longer than the next transaction should wait. */
async function takeNumbers(): Promise<never> {
  for (;;) {
    const taken = series.transaction(dataSource, async (manager) => {
      await series.next('note', { manager });
      await delay(1_500);
    });
    // The database ends during the test.
    await taken.catch(() => delay(500));
  }
}

setInterval(() => {
  issue(() => ids.nextId(), 50);
  issue(() => numbers.next(), 20);
}, 20);
void Promise.all([takeNumbers(), takeNumbers()]);
setInterval(() => void fetch(`${url}/v1/ids`).catch(() => undefined), 250);
process.send?.({ url } satisfies Observed);
