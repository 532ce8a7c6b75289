import { setTimeout as delay } from 'node:timers/promises';
import { type DynamicModule, Module } from '@nestjs/common';
import {
  AcquireTimeoutError,
  DuplicateInstanceError,
  InvalidOptionError,
  LayoutMismatchError,
  type LeaseStore,
  memoryLeaseStore,
  SnowflakeIdMaker,
  SnowflakeModule,
  type SnowflakeOptions,
  StoreUnavailableError,
} from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SHORT_WINDOW } from '../lease/support/short-window.js';
import { freePort } from '../support/servers/index.js';
import { waitFor } from '../support/wait.js';
import { Apps } from './support/apps.js';

const PATIENCE_MS = 60_000;

let apps: Apps;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(() => apps.closeAll());
afterAll(() => apps.server.stop());

describe('an app that registers one name twice', () => {
  const forRoot = (namespace: string): DynamicModule => SnowflakeModule.forRoot(apps.options(namespace));
  const forRootAsync = (namespace: string, name?: string): DynamicModule =>
    SnowflakeModule.forRootAsync({ name, useFactory: () => apps.options(namespace) });

  it.each<[string, string, (namespace: string) => DynamicModule[]]>([
    ['default', 'two of forRoot', (namespace) => [forRoot(namespace), forRoot(namespace)]],
    ['default', 'forRoot and forRootAsync', (namespace) => [forRoot(namespace), forRootAsync(namespace)]],
    [
      'audit',
      'two named',
      (namespace) => [forRootAsync(namespace, 'audit'), forRootAsync(namespace, 'audit')],
    ],
    [
      'audit',
      'two named beside a default one',
      (namespace) => [forRoot(namespace), forRootAsync(namespace, 'audit'), forRootAsync(namespace, 'audit')],
    ],
  ])("does not boot, and leaves no lease of '%s' behind: %s", async (name, kind, modules) => {
    const namespace = `twice-${kind.replaceAll(' ', '-')}`;
    const error = await apps.bootError(...modules(namespace));
    expect(error).toBeInstanceOf(DuplicateInstanceError);
    expect(error).toMatchObject({ code: 'SNOWFLAKE_DUPLICATE_INSTANCE', instanceName: name });
    await apps.untilReleased(namespace);
  });

  it('boots when it imports one registration in two places', async () => {
    const registration = forRoot('shared-registration');
    @Module({ imports: [registration] })
    class FeatureModule {}
    const app = await apps.boot({ imports: [registration, FeatureModule] });
    expect(app.get(SnowflakeIdMaker).nextId()).toMatch(/^\d+$/);
    expect((await apps.inspector('shared-registration').snapshot()).rows).toHaveLength(1);
  });
});

describe('an app whose store is down [promise: fail-closed]', () => {
  it('fails to boot with a typed error, within acquireTimeoutMs', async () => {
    const store = redisLeaseStore({ url: `redis://127.0.0.1:${await freePort()}`, namespace: 'down' });
    // Far less than the default, and than this test waits, but time for a first call on a machine that stalls.
    const acquireTimeoutMs = 5000;
    const lease = { possibleLoss: 'ignore' as const, acquireTimeoutMs };
    const error = await apps.bootError(SnowflakeModule.forRoot({ store, lease }));
    expect(error).toBeInstanceOf(AcquireTimeoutError);
    expect(error).toMatchObject({ code: 'SNOWFLAKE_ACQUIRE_TIMEOUT', timeoutMs: acquireTimeoutMs });
    expect((error as AcquireTimeoutError).cause).toBeInstanceOf(StoreUnavailableError);
    expect((error as AcquireTimeoutError).message).toContain('ECONNREFUSED');
  });

  it('boots when the store comes up in time', async () => {
    const options = apps.options('late', {
      lease: { ...SHORT_WINDOW, windowMs: 60_000, possibleLoss: 'ignore', acquireTimeoutMs: PATIENCE_MS },
    });
    apps.server.pause();
    const boot = apps.boot({ imports: [SnowflakeModule.forRoot(options)] });
    await delay(500);
    apps.server.resume();
    expect((await boot).get(SnowflakeIdMaker).canIssue).toBe(true);
  });
});

/** A store that opens only when it is let to. */
class SlowToOpen implements LeaseStore {
  readonly description = 'custom store';
  readonly renewable = true;
  readonly calls: string[] = [];
  letOpen: () => void = () => undefined;
  private readonly inner = memoryLeaseStore();
  private readonly mayOpen = new Promise<void>((resolve) => (this.letOpen = resolve));

  lease: LeaseStore['lease'] = (request) => this.inner.lease(request);
  release: LeaseStore['release'] = (request) => this.inner.release(request);
  inspect = () => this.inner.inspect();

  async open(): Promise<void> {
    this.calls.push('open');
    await this.mayOpen;
    this.calls.push('opened');
  }

  async close(): Promise<void> {
    this.calls.push('close');
  }
}

describe('an app whose store does not open', () => {
  const acquireTimeoutMs = 1000;
  const lease = { possibleLoss: 'ignore' as const, acquireTimeoutMs };

  it('fails to boot with a typed error, within acquireTimeoutMs, and gives the other leases back', async () => {
    const store = new SlowToOpen();
    const tokens = async (): Promise<string[]> =>
      (await apps.inspector('beside-a-hang').snapshot()).rows.map(({ fencingToken }) => fencingToken);
    const error = await apps.bootError(
      SnowflakeModule.forRoot(apps.options('beside-a-hang')),
      SnowflakeModule.forRootAsync({
        name: 'audit',
        useFactory: async () => {
          // Until then nothing could be given back.
          await waitFor('the other lease', PATIENCE_MS, async () => (await tokens()).length > 0);
          return { store, lease };
        },
      }),
    );
    expect(error).toBeInstanceOf(AcquireTimeoutError);
    expect(error).toMatchObject({
      code: 'SNOWFLAKE_ACQUIRE_TIMEOUT',
      timeoutMs: acquireTimeoutMs,
      message: expect.stringContaining('the store did not open within 1000 ms'),
    });
    expect(store.calls).toEqual(['open']);
    await apps.untilReleased('beside-a-hang');
    expect(await tokens()).toEqual(['']);
  });

  it('leaves the store to the next app when it has opened after all, and that one closes', async () => {
    const store = new SlowToOpen();
    const module = SnowflakeModule.forRoot({ store, lease });
    expect(await apps.bootError(module)).toBeInstanceOf(AcquireTimeoutError);
    expect(await apps.bootError(module)).toMatchObject({ code: 'SNOWFLAKE_INVALID_OPTION', option: 'store' });
    store.letOpen();
    await delay(0);
    expect(store.calls).toEqual(['open', 'opened', 'close']);

    const app = await apps.boot({ imports: [module] });
    expect(app.get(SnowflakeIdMaker).nextId()).toMatch(/^\d+$/);
    await apps.close(app);
    expect(store.calls.slice(3)).toEqual(['open', 'opened', 'close']);
  });
});

describe('an app with options that cannot work', () => {
  it.each<[string, string, () => SnowflakeOptions]>([
    ['no store', 'store', () => ({}) as SnowflakeOptions],
    ['no options', 'options', () => undefined as unknown as SnowflakeOptions],
    [
      'a window that is too short',
      'lease.windowMs',
      () => apps.options('odd', { lease: { windowMs: 10, possibleLoss: 'ignore' } }),
    ],
  ])('is told which: %s', async (_problem, option, useFactory) => {
    const error = await apps.bootError(SnowflakeModule.forRootAsync({ useFactory }));
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error).toMatchObject({ code: 'SNOWFLAKE_INVALID_OPTION', option });
    expect((await apps.inspector('odd').snapshot()).rows).toEqual([]);
  });

  it('is refused on a namespace of another layout', async () => {
    await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options('mismatch'))] });
    const other = apps.options('mismatch', { layout: { workerBits: 5 } });
    expect(await apps.bootError(SnowflakeModule.forRoot(other))).toBeInstanceOf(LayoutMismatchError);
  });
});
