import type { DynamicModule } from '@nestjs/common';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { SnowflakeIdMaker, SnowflakeModule, staticLeaseStore } from 'nestjs-snowflake';
import { Apps } from './support/apps.js';
import { CapturedLogs } from './support/captured-logs.js';

let apps: Apps;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(() => apps.closeAll());
afterAll(() => apps.server.stop());

/** How many worker IDs a test leases that overrides something, and an ID that it gets. */
async function leasedBy(
  namespace: string,
  override: (test: TestingModuleBuilder, ids: DynamicModule) => TestingModuleBuilder,
): Promise<{ leases: number; id: string }> {
  const ids = SnowflakeModule.forRootAsync({ useFactory: () => apps.options(namespace) });
  const test = Test.createTestingModule({ imports: [ids] }).setLogger(new CapturedLogs());
  const app = await (await override(test, ids).compile()).init();
  const id = app.get(SnowflakeIdMaker).nextId();
  await app.close();
  return { leases: (await apps.inspector(namespace).snapshot()).rows.length, id };
}

describe('a test of an app', () => {
  it('leases nothing when it overrides the registration', async () => {
    const fixed = SnowflakeModule.forRoot({ store: staticLeaseStore({ workerId: 7 }) });
    const { leases, id } = await leasedBy('module', (test, ids) => test.overrideModule(ids).useModule(fixed));
    expect(leases).toBe(0);
    expect(id).toMatch(/^\d+$/);
  });

  it('still leases when it overrides the provider alone', async () => {
    const override = (test: TestingModuleBuilder): TestingModuleBuilder =>
      test.overrideProvider(SnowflakeIdMaker).useValue({ nextId: () => '1' });
    expect(await leasedBy('provider', override)).toEqual({ leases: 1, id: '1' });
  });
});
