import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import type { SnowflakeOptions } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { startRedis, type RedisServer } from '../../support/servers/index.js';
import { Inspector } from '../../lease/support/inspector.js';
import { SHORT_WINDOW } from '../../lease/support/short-window.js';
import { waitFor, within } from '../../support/wait.js';
import { CapturedLogs } from './captured-logs.js';

const BOOT_WITHIN_MS = 60_000;
const RELEASED_WITHIN_MS = 60_000;
/** Renewed often, and so long that a machine that stalls does not let a lease come close to its end. */
const OFTEN_RENEWED = { ...SHORT_WINDOW, windowMs: 60_000 };

/** Nest apps on a private Redis, each with a namespace to itself. */
export class Apps {
  readonly server: RedisServer;
  private readonly apps = new Set<TestingModule>();
  private readonly inspectors = new Set<Inspector>();

  private constructor(server: RedisServer) {
    this.server = server;
  }

  static async onPrivateRedis(): Promise<Apps> {
    return new Apps(await startRedis());
  }

  /** Options that suit a test: frequent renewals, and no wait for an unknown history. */
  options(namespace: string, changes: Partial<SnowflakeOptions> = {}): SnowflakeOptions {
    return {
      store: redisLeaseStore({ url: this.server.url, namespace }),
      lease: { ...OFTEN_RENEWED, possibleLoss: 'ignore' },
      ...changes,
    };
  }

  /** Boots an app. */
  async boot(metadata: ModuleMetadata, logger = new CapturedLogs()): Promise<TestingModule> {
    const app = await Test.createTestingModule(metadata).setLogger(logger).compile();
    this.apps.add(app);
    return app.init();
  }

  /** Boots an app of these modules. @returns what it failed with; undefined when it booted */
  bootError(...imports: DynamicModule[]): Promise<unknown> {
    const boot = this.boot({ imports }).then(
      () => undefined,
      (error: unknown) => error,
    );
    return within('the app to boot or fail', BOOT_WITHIN_MS, boot);
  }

  inspector(namespace: string): Inspector {
    const inspector = new Inspector(this.server.url, namespace);
    this.inspectors.add(inspector);
    return inspector;
  }

  /** Waits until nobody holds a worker ID of a namespace. A stop does not wait long for the answer to its last call. */
  async untilReleased(namespace: string): Promise<void> {
    const inspector = this.inspector(namespace);
    await waitFor(`the worker IDs of ${namespace} to be released`, RELEASED_WITHIN_MS, async () => {
      const { rows } = await inspector.snapshot();
      return rows.every(({ fencingToken }) => fencingToken === '');
    });
  }

  /** Closes one of them. */
  async close(app: TestingModule): Promise<void> {
    this.apps.delete(app);
    await app.close();
  }

  /** Closes the apps that are still up. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.apps].map((app) => this.close(app)));
    await Promise.all([...this.inspectors].map((inspector) => inspector.close()));
    this.inspectors.clear();
  }
}
