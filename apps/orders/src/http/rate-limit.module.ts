import { Module } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { APP_GUARD } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { rateLimitConfig } from '../config/orders.config.js';
import { ClientThrottlerGuard } from './client-throttler.guard.js';

/** Limits the requests of each client over all endpoints. Each process counts separately. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [rateLimitConfig.KEY],
      useFactory: ({ requests, windowMs }: ConfigType<typeof rateLimitConfig>) => ({
        throttlers: [{ limit: requests, ttl: windowMs }],
        skipIf: () => requests === 0,
        // Replaces the default, which counts each endpoint separately.
        generateKey: (_context, client) => client,
        errorMessage: (_context, { timeToBlockExpire }) =>
          `Too many requests: at most ${requests} in ${windowMs} ms. Try again in ${timeToBlockExpire} s.`,
      }),
    }),
  ],
  providers: [{ provide: APP_GUARD, useClass: ClientThrottlerGuard }],
})
export class RateLimitModule {}
