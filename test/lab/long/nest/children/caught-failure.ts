/** The child of caught-failure.spec.ts: an app whose start fails after it has leased, and who catches that. */
import 'reflect-metadata';
import { Injectable, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SHORT_WINDOW } from '../../../../lease/support/short-window.js';

const [url = '', windowMs = ''] = process.argv.slice(2);

@Injectable()
class Failing implements OnApplicationBootstrap {
  onApplicationBootstrap(): void {
    throw new Error('the mail server is down');
  }
}

@Module({
  imports: [
    SnowflakeModule.forRoot({
      store: redisLeaseStore({ url, namespace: 'caught' }),
      lease: { ...SHORT_WINDOW, windowMs: Number(windowMs), possibleLoss: 'ignore' },
    }),
  ],
  providers: [Failing],
})
class AppModule {}

process.on('message', ({ order }: { order: string }) => {
  if (order === 'exit') process.exit(3);
  // Nothing of the test keeps the process from here on.
  process.disconnect();
});

try {
  await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
} catch (error) {
  process.send?.({ caught: String(error) });
}
