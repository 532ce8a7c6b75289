import { type BeforeApplicationShutdown, Controller, Get, Injectable, Module } from '@nestjs/common';
import { type LeaseStore, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { setTimeout } from 'node:timers/promises';
import { leaseStore } from './lease-store.js';
import { OrdersController } from './orders.controller.js';

const { DATABASE_URL, DRAIN_MS = '10000', HANGS } = process.env;

/** The processes of `node:cluster` and pm2 share a file. */
const store = (): LeaseStore =>
  DATABASE_URL === undefined
    ? leaseStore()
    : sqlLeaseStore({ url: DATABASE_URL, namespace: 'shop', createTable: true });

@Controller()
class IdController {
  constructor(private readonly ids: SnowflakeIdMaker) {}

  @Get()
  ready(): string {
    return 'ready';
  }

  /** Makes an ID after a while, so that a signal can come first. */
  @Get('slow')
  async slow(): Promise<string> {
    process.send?.('slow');
    await setTimeout(1_000);
    return this.ids.nextId();
  }
}

@Injectable()
class HangingHook implements BeforeApplicationShutdown {
  async beforeApplicationShutdown(): Promise<void> {
    if (HANGS) await new Promise(() => undefined);
  }
}

@Module({
  imports: [
    SnowflakeModule.forRootAsync({
      useFactory: () => ({
        store: store(),
        lease: { possibleLoss: 'ignore' },
        drainTimeoutMs: Number(DRAIN_MS),
      }),
    }),
  ],
  controllers: [IdController, OrdersController],
  providers: [HangingHook],
})
export class AppModule {}
