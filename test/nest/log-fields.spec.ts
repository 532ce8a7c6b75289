import { jest } from '@jest/globals';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { ConsoleLogger, type DynamicModule, type LoggerService, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Logger as PinoLogger, LoggerModule } from 'nestjs-pino';
import { SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { type RedisServer, startRedis } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';

const PATIENCE_MS = 60_000;

let redis: RedisServer;
beforeEach(async () => {
  redis = await startRedis();
});
afterEach(() => redis.stop());

/** What Node writes to its standard output while `work` runs. */
async function printedBy(work: () => Promise<void>): Promise<string[]> {
  const written: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0),
  );
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return written.flatMap((text) => text.split('\n')).filter((line) => line.includes('Snowflake'));
}

function appWith(...others: DynamicModule[]): Type {
  @Module({
    imports: [
      ...others,
      SnowflakeModule.forRoot({
        name: 'audit',
        store: redisLeaseStore({ url: redis.url, namespace: 'fields' }),
        // Fails soon when Redis is away, and gives calls more time than they take under load.
        lease: { windowMs: 60_000, renewEveryMs: 100, possibleLoss: 'ignore' },
      }),
    ],
  })
  class AppModule {}
  return AppModule;
}

/** Boots an app, takes its Redis away until a call has failed, and stops it. */
async function live(root: Type, pickLogger: (app: { get(token: Type): unknown }) => unknown): Promise<void> {
  const app = await NestFactory.createApplicationContext(root, { bufferLogs: true });
  app.useLogger(pickLogger(app) as LoggerService);
  const ids = app.get<SnowflakeIdMaker>('SnowflakeIdMaker:audit');
  await redis.kill();
  await waitFor('a failed call', PATIENCE_MS, () => ids.status().lastError !== undefined);
  await app.close();
}

const linesOfALife = (fieldsOf: (text: unknown, fields: object) => object): unknown[] => [
  fieldsOf(expect.stringMatching(/^Worker ID 0 of redis namespace "fields": leased until/), {
    instance: 'audit',
    workerId: 0,
  }),
  fieldsOf(expect.stringMatching(/^A call to the lease store failed/), {
    instance: 'audit',
    workerId: 0,
    code: 'SNOWFLAKE_STORE_UNAVAILABLE',
  }),
];

describe('the log lines of an instance', () => {
  it('carry their fields through nestjs-pino, also if Nest buffers them', async () => {
    const written: string[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        written.push(chunk.toString());
        done();
      },
    });
    await live(appWith(LoggerModule.forRoot({ pinoHttp: { stream } })), (app) => app.get(PinoLogger));
    const records = written
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ context }) => context === 'SnowflakeModule:audit');
    expect(records).toEqual(
      expect.arrayContaining(
        linesOfALife((msg, fields) => expect.objectContaining({ msg, ...fields }) as object),
      ),
    );
  });

  it('carry their fields through the JSON logger of Nest', async () => {
    const printed = await printedBy(() => live(appWith(), () => new ConsoleLogger({ json: true })));
    const records = printed.map((line) => JSON.parse(line) as { context?: string; message: unknown });
    const own = records.filter(({ context }) => context === 'SnowflakeModule:audit');
    expect(own.map(({ message }) => message)).toEqual(
      expect.arrayContaining(linesOfALife((message, fields) => ({ message, ...fields }))),
    );
  });

  it.each([true, false])(
    'read as one line of text in the text logger of Nest (colors: %s)',
    async (colors) => {
      const printed = await printedBy(() => live(appWith(), () => new ConsoleLogger({ colors })));
      const texts = printed.map((line) => stripVTControlCharacters(line));
      expect(texts).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/LOG \[SnowflakeModule:audit\] Worker ID 0 of .*renewed from now on\.$/),
          expect.stringMatching(/WARN \[SnowflakeModule:audit\] A call to the lease store failed\. .*\S$/),
        ]),
      );
      expect(texts.join('\n')).not.toMatch(/instance|LogLine|Object\(|\[object/);
    },
  );
});
