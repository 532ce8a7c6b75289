import { Injectable, Module } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { InvalidOptionError, SnowflakeIdMaker, SnowflakeModule } from 'nestjs-snowflake';
import { Apps } from './support/apps.js';

let apps: Apps;

beforeAll(async () => {
  apps = await Apps.onPrivateRedis();
});
afterEach(() => apps.closeAll());
afterAll(() => apps.server.stop());

describe('an app that has booted', () => {
  it.each<[string, (namespace: string) => ReturnType<typeof SnowflakeModule.forRoot>]>([
    ['forRoot', (namespace) => SnowflakeModule.forRoot({ ...apps.options(namespace), name: 'lazy' })],
    [
      'forRootAsync',
      (namespace) =>
        SnowflakeModule.forRootAsync({ name: 'lazy', useFactory: () => apps.options(namespace) }),
    ],
  ])('loads no further instance lazily, since nobody would stop it: %s', async (kind, lazy) => {
    const namespace = `lazy-${kind}`;
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options(namespace))] });
    const load = app.get(LazyModuleLoader).load(() => lazy(namespace));
    await expect(load).rejects.toBeInstanceOf(InvalidOptionError);
    await expect(load).rejects.toMatchObject({ option: 'imports' });
    expect((await apps.inspector(namespace).snapshot()).rows).toHaveLength(1);
    expect(app.get(SnowflakeIdMaker).nextId()).toMatch(/^\d+$/);
  });

  it('loads modules lazily that inject its maker', async () => {
    @Injectable()
    class Reports {
      constructor(readonly ids: SnowflakeIdMaker) {}
    }
    @Module({ providers: [Reports], exports: [Reports] })
    class ReportsModule {}
    const app = await apps.boot({ imports: [SnowflakeModule.forRoot(apps.options('lazy-user'))] });
    const moduleRef = await app.get(LazyModuleLoader).load(() => ReportsModule);
    expect(moduleRef.get(Reports).ids).toBe(app.get(SnowflakeIdMaker));
  });
});
