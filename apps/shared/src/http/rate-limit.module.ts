import { type CanActivate, type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { RATE_LIMIT_CONFIG, type RateLimitConfig } from '../environment/server-environment.js';

/** Limits the requests of each client over all endpoints. Each process counts separately. */
@Module({
  imports: [
    ThrottlerModule.forRootAsync({
      inject: [RATE_LIMIT_CONFIG],
      useFactory: ({ requests, windowMs }: RateLimitConfig) => ({
        throttlers: [{ limit: requests, ttl: windowMs }],
        skipIf: () => requests === 0,
        // Replaces the default, which counts each endpoint separately.
        generateKey: (_context, client) => client,
        errorMessage: (_context, { timeToBlockExpire }) =>
          `Too many requests: at most ${requests} in ${windowMs} ms. Try again in ${timeToBlockExpire} s.`,
      }),
    }),
  ],
})
export class RateLimitModule {
  /** @param guard the guard that counts, if the app has requests that the one of the library doesn't know */
  static forRoot(guard: Type<CanActivate> = ThrottlerGuard): DynamicModule {
    return { module: RateLimitModule, providers: [{ provide: APP_GUARD, useClass: guard }] };
  }
}
