// Limits the requests of each client of an ID service. Replace BILLING_TOKEN by your tokens.
import { createHash } from 'node:crypto';
import { Inject, Injectable, Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { APP_GUARD } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');

/** A known token has its own limit. All other requests share the limit of their address, whatever tokens they have. */
@Injectable()
export class ClientThrottlerGuard extends ThrottlerGuard {
  @Inject(ConfigService) private readonly config!: ConfigService;

  protected override async getTracker(request: { headers: { authorization?: string } }): Promise<string> {
    const known = [this.config.getOrThrow<string>('BILLING_TOKEN')].map((token) =>
      digestOf(`Bearer ${token}`),
    );
    const client = digestOf(String(request.headers.authorization));
    return known.includes(client) ? client : super.getTracker(request);
  }
}

@Module({
  imports: [
    ConfigModule,
    ThrottlerModule.forRoot({
      throttlers: [{ limit: 200, ttl: 60_000 }],
      // One limit for all routes, instead of one for each.
      generateKey: (_context, client) => client,
    }),
  ],
  providers: [{ provide: APP_GUARD, useClass: ClientThrottlerGuard }],
})
export class ClientLimitsModule {}
