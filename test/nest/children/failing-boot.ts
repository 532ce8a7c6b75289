/** The child of boots.spec.ts: an app that fails to boot, in a process that would live on. */
import 'reflect-metadata';
import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import libsql from 'libsql';
import { getSnowflakeToken, SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SeriesModule, SeriesSubscriber } from 'nestjs-snowflake-series';
import { DataSource } from 'typeorm';

const [url = '', kind = '', namespace = ''] = process.argv.slice(2);
/** A bad one is refused once `others` hold their worker IDs. */
const named = (name: string, ...others: string[]) =>
  SnowflakeModule.forRootAsync({
    name,
    inject: others.map((other) => getSnowflakeToken(other)),
    useFactory: () => ({
      store: redisLeaseStore({ url, namespace }),
      lease: { possibleLoss: 'ignore' },
      holderName: name === 'bad' ? '' : name,
    }),
  });

/** A DataSource whose tables of series are missing. */
@Module({
  providers: [
    {
      provide: DataSource,
      useFactory: () =>
        new DataSource({
          type: 'better-sqlite3',
          driver: libsql,
          database: ':memory:',
          subscribers: [SeriesSubscriber],
        }).initialize(),
    },
  ],
})
class Database {}

const IMPORTS: Readonly<Record<string, (DynamicModule | typeof Database)[]>> = {
  instance: [named('first'), named('second'), named('bad', 'first', 'second')],
  series: [named('first'), Database, SeriesModule.forRoot({})],
};

@Module({ imports: IMPORTS[kind] ?? [] })
class AppModule {}

try {
  await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
} catch (error) {
  process.send?.({ message: String(error) });
}
process.disconnect?.();
