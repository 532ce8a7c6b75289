import type { INestApplication } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { InvalidOptionError, SnowflakeIdMaker, SnowflakeModule, StoppedError } from 'nestjs-snowflake';
import type { SnowflakeModuleOptions } from 'nestjs-snowflake';
import { waitFor, within } from '../support/wait.js';
import { Apps } from './support/apps.js';
import { CapturedLogs } from './support/captured-logs.js';
import { Renewals } from './support/renewals.js';

const PATIENCE_MS = 60_000;
const SHORT_DRAIN_MS = 400;
const AN_HOUR_MS = 3_600_000;

/** An app with an HTTP server, and a client that has connected and says nothing: the server never closes. */
class HungApp {
  readonly maker: SnowflakeIdMaker;
  private constructor(
    readonly app: INestApplication,
    readonly client: Socket,
    readonly logs: CapturedLogs,
  ) {
    this.maker = app.get(SnowflakeIdMaker);
  }

  static async start(
    adapter: ExpressAdapter | FastifyAdapter,
    options: SnowflakeModuleOptions,
  ): Promise<HungApp> {
    const logs = new CapturedLogs();
    const module = await Test.createTestingModule({ imports: [SnowflakeModule.forRoot(options)] })
      .setLogger(logs)
      .compile();
    const app = module.createNestApplication<INestApplication>(adapter);
    await app.listen(0, '127.0.0.1');
    const server = app.getHttpServer();
    const accepted = once(server, 'connection');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    await within('the connection', PATIENCE_MS, accepted);
    return new HungApp(app, client, logs);
  }
}

let apps: Apps;
let hung: HungApp | undefined;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(async () => {
  hung?.client.destroy();
  await hung?.app.close();
  hung = undefined;
  await apps.closeAll();
});
afterAll(() => apps.server.stop());

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('a server of %s that never closes', (name, adapter) => {
  const namespace = (suffix: string): string => `${name.toLowerCase()}-${suffix}`;

  it('keeps the lease no longer than drainTimeoutMs', async () => {
    const inspector = apps.inspector(namespace('bounded'));
    const options = { ...apps.options(namespace('bounded')), drainTimeoutMs: SHORT_DRAIN_MS };
    hung = await HungApp.start(adapter(), options);
    const { app, client, maker, logs } = hung;
    const events: string[] = [];
    maker.subscribe(({ type }) => events.push(type));
    const lastId = maker.nextId();
    let hasClosed = false;
    // Twice, as a signal and a call of the app do.
    const closed = Promise.all([app.close(), app.close()]).then(() => (hasClosed = true));

    await waitFor('the lease to be released', PATIENCE_MS, async () => {
      return (await inspector.row(0)).fencingToken === '';
    });
    expect(() => maker.nextId()).toThrow(StoppedError);
    expect((await inspector.row(0)).reservedUntilMs).toBeGreaterThanOrEqual(maker.decode(lastId).timestampMs);
    expect(hasClosed).toBe(false);
    expect(logs.lines).toContainEqual(
      expect.stringContaining(`within drainTimeoutMs (${SHORT_DRAIN_MS} ms). Issuing stops`),
    );

    client.destroy();
    await within('the app to close', PATIENCE_MS, closed);
    await app.close();
    // `release-failed` if the answer took longer than a stop waits for it.
    expect(events.filter((type) => type.startsWith('release'))).toHaveLength(1);
  });

  // Control: with a bound out of sight the lease is renewed as long as the client likes.
  it('would keep it without', async () => {
    const inspector = apps.inspector(namespace('unbounded'));
    const options = { ...apps.options(namespace('unbounded')), drainTimeoutMs: AN_HOUR_MS };
    hung = await HungApp.start(adapter(), options);
    const { app, client, maker } = hung;
    const closed = app.close();
    await new Renewals(maker).more(6);
    expect((await inspector.row(0)).fencingToken).not.toBe('');
    expect(maker.nextId()).toMatch(/^\d+$/);
    client.destroy();
    await within('the app to close', PATIENCE_MS, closed);
    await apps.untilReleased(namespace('unbounded'));
  });
});

describe('drainTimeoutMs', () => {
  it.each([0, -1, 0.5, 86_400_001, Number.NaN, '10000'])('is refused: %p', async (value) => {
    const drainTimeoutMs = value as number;
    const boot = apps.boot({
      imports: [SnowflakeModule.forRoot({ ...apps.options('refused'), drainTimeoutMs })],
    });
    await expect(boot).rejects.toThrow(InvalidOptionError);
    await expect(boot).rejects.toThrow(/^drainTimeoutMs .*Use a whole number from 1 to 86400000\.$/);
  });

  it('is named to whoever misspells it', async () => {
    const options = { ...apps.options('misspelt'), drainTimeoutMS: 1 };
    await expect(apps.boot({ imports: [SnowflakeModule.forRoot(options)] })).rejects.toThrow(
      /^Unknown option "drainTimeoutMS"\. Did you mean "drainTimeoutMs"\?/,
    );
  });
});
