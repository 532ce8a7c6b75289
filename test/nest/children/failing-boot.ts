/** The child of boots.spec.ts: an app that fails to boot, in a process that would live on. */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';

const [url = ''] = process.argv.slice(2);
const named = (name: string) =>
  SnowflakeModule.forRootAsync({
    name,
    useFactory: () => ({
      store: redisLeaseStore({ url, namespace: 'child' }),
      lease: { possibleLoss: 'ignore' },
      holderName: name === 'bad' ? '' : name,
    }),
  });

@Module({ imports: [named('first'), named('second'), named('bad')] })
class AppModule {}

try {
  await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
} catch (error) {
  process.send?.({ message: String(error) });
}
process.disconnect?.();
