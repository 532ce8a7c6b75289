import { Controller, Get, Module, Post, type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { HealthCheck, type HealthCheckResult, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import {
  LayoutMismatchError,
  type LeaseOptions,
  NotReadyError,
  SnowflakeIdMaker,
  SnowflakeModule,
  type SnowflakeOptions,
} from 'nestjs-snowflake';
import { SnowflakeExceptionFilter } from 'nestjs-snowflake/http';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';
import { HttpApp } from '../adapters/http-apps.js';
import { SHORT_WINDOW } from '../lease/support/short-window.js';
import { waitFor } from '../support/wait.js';
import { Apps } from './support/apps.js';
import { CapturedLogs } from './support/captured-logs.js';

const TIMEOUT_MS = 60_000;
const LONG_WAIT = { possibleLoss: 'wait', waitAtBoot: false } satisfies LeaseOptions;
const SHORT_WAIT = { ...SHORT_WINDOW, ...LONG_WAIT } satisfies LeaseOptions;

let apps: Apps;
let http: HttpApp | undefined;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(async () => {
  await http?.stop();
  http = undefined;
  await apps.closeAll();
});
afterAll(() => apps.server.stop());

@Controller()
class OrdersController {
  constructor(
    private readonly ids: SnowflakeIdMaker,
    private readonly health: HealthCheckService,
    private readonly snowflake: SnowflakeHealthIndicator,
  ) {}

  @Post('orders')
  create(): { id: string } {
    return { id: this.ids.nextId() };
  }

  @Get('about')
  about(): { name: string } {
    return { name: 'shop' };
  }

  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.snowflake.readiness('snowflake')]);
  }

  @Get('live')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.health.check([() => this.snowflake.liveness('snowflake')]);
  }
}

const filter: Provider = { provide: APP_FILTER, useClass: SnowflakeExceptionFilter };

function appWith(options: SnowflakeOptions) {
  @Module({
    imports: [TerminusModule.forRoot({ logger: false }), SnowflakeModule.forRoot(options)],
    controllers: [OrdersController],
    providers: [SnowflakeHealthIndicator, filter],
  })
  class AppModule {}
  return AppModule;
}

describe('an app with lease.waitAtBoot: false [promise: fail-closed]', () => {
  it('boots at once on a wiped Redis, responds with 503 where it needs an ID, and is ready after the wait', async () => {
    http = await HttpApp.start('Express', appWith(apps.options('wiped', { lease: SHORT_WAIT })));
    expect(await http.get('/about')).toMatchObject({ status: 200 });
    expect(await http.get('/live')).toMatchObject({ status: 200 });
    expect(await http.get('/ready')).toMatchObject({
      status: 503,
      body: { details: { snowflake: { status: 'down', state: 'acquiring' } } },
    });
    expect(await http.post('/orders', '{}')).toMatchObject({
      status: 503,
      body: { code: 'SNOWFLAKE_NOT_READY' },
    });
    await waitFor('the first lease', TIMEOUT_MS, async () => (await http!.get('/ready')).status === 200);
    expect(await http.post('/orders', '{}')).toMatchObject({ status: 201 });
  });

  it('says how long it waits, and that it boots meanwhile', async () => {
    const logs = new CapturedLogs();
    await apps.boot(
      { imports: [SnowflakeModule.forRoot(apps.options('announced', { lease: LONG_WAIT }))] },
      logs,
    );
    expect(logs.lines).toEqual([
      expect.stringMatching(
        /^warn: .*Waiting for up to 6\d\.\d s: .*is empty.*The app starts without waiting/,
      ),
    ]);
  });

  it('boots while Redis is unreachable, and generates IDs when it answers', async () => {
    const lease = { ...LONG_WAIT, possibleLoss: 'ignore', callTimeoutMs: 500 } as const;
    apps.server.pause();
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options('silent', { lease }))] });
    const ids = app.get(SnowflakeIdMaker);
    expect(() => ids.nextId()).toThrow(NotReadyError);
    await expect(ids.ready()).rejects.toThrow(NotReadyError);
    apps.server.resume();
    await waitFor('an ID', TIMEOUT_MS, () => ids.canIssue);
    expect(ids.nextId()).toMatch(/^\d+$/);
  });

  it('fails to boot if the store has another layout', async () => {
    await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options('mismatch'))] });
    const other = apps.options('mismatch', { layout: { workerBits: 5 }, lease: LONG_WAIT });
    expect(await apps.bootError(SnowflakeModule.forRoot(other))).toBeInstanceOf(LayoutMismatchError);
  });

  it('logs an error and stays down if Redis has another layout when it answers', async () => {
    const namespace = 'late-mismatch';
    const logs = new CapturedLogs();
    const other = apps.options(namespace, {
      layout: { workerBits: 5 },
      lease: { ...LONG_WAIT, callTimeoutMs: 500 },
    });
    await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options(namespace))] });
    apps.server.pause();
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot(other)] }, logs);
    apps.server.resume();
    await waitFor('the error', TIMEOUT_MS, () => logs.lines.some((line) => line.startsWith('error: ')));
    const ids = app.get(SnowflakeIdMaker);
    expect(ids.canIssue).toBe(false);
    expect(ids.status()).toMatchObject({
      state: 'acquiring',
      lastError: { code: 'SNOWFLAKE_LAYOUT_MISMATCH' },
    });
  });

  it('releases everything if it stops during the wait', async () => {
    const options = apps.options('stopped', { lease: LONG_WAIT });
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot(options)] });
    const ids = app.get(SnowflakeIdMaker);
    const waiting = ids.ready();
    await apps.close(app);
    await expect(waiting).rejects.toMatchObject({ code: 'SNOWFLAKE_STOPPED' });
    expect(ids.status().state).toBe('stopped');
    expect((await apps.inspector('stopped').snapshot()).rows).toEqual([]);
    // Its store is free for another maker.
    const next = new SnowflakeIdMaker({ ...options, lease: { possibleLoss: 'ignore' } });
    await next.start();
    await next.stop();
  });
});
