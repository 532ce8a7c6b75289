/** The child of abandoned-boots.spec.ts: an app that nothing but the library keeps alive, and that can fail its own boot. */
import 'reflect-metadata';
import { Module, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type LeaseStore, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { SegmentModule, Segments, sqlSegmentStore } from 'nestjs-snowflake-segments';

const [url = '', kind = '', namespace = ''] = process.argv.slice(2);
const isSql = !url.startsWith('redis:');

const storeOf = (): LeaseStore =>
  isSql ? sqlLeaseStore({ url, namespace, createTable: true }) : redisLeaseStore({ url, namespace });
const imports = [
  SnowflakeModule.forRoot({ store: storeOf(), lease: { possibleLoss: 'ignore', renewEveryMs: 500 } }),
  ...(isSql
    ? [SegmentModule.forRoot({ store: sqlSegmentStore({ url, createTable: true }), tags: ['ticket'] })]
    : []),
];

/** What a provider of the app does once the maker holds its lease. */
const KINDS: Readonly<Record<string, (ids: SnowflakeIdMaker, segments: Segments | undefined) => unknown>> = {
  provider: () => {
    throw new Error('no such secret');
  },
  waits: async (ids, segments) => {
    await ids.renew();
    await ids.inspect();
    await ids.ready();
    await segments?.inspect();
    await segments?.create('order');
    process.send?.({ waited: true });
  },
};

@Module({
  imports,
  providers: [
    {
      provide: 'work',
      inject: [SnowflakeIdMaker, { token: Segments, optional: true }],
      useFactory: (ids: SnowflakeIdMaker, segments?: Segments) => KINDS[kind]?.(ids, segments),
    },
  ],
})
class AppModule implements OnModuleInit {
  onModuleInit(): void {
    if (kind === 'hook') throw new Error('no such secret');
  }
}

try {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
  app.get(SnowflakeIdMaker).subscribe(({ type }) => type === 'renewed' && process.send?.({ type }));
  process.on('message', () => void app.close().then(() => process.disconnect()));
  // The channel of the test must not keep the process alive.
  process.channel?.unref();
} catch (error) {
  process.send?.({ message: String(error) });
  process.exitCode = 3;
  process.disconnect();
}
