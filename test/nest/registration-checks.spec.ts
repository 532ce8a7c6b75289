import { Injectable, Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { Test } from '@nestjs/testing';
import {
  getSnowflakeToken,
  InjectSnowflake,
  InvalidOptionError,
  SnowflakeIdMaker,
  SnowflakeModule,
  type SnowflakeModuleOptions,
  type SnowflakeOptionsFactory,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { CapturedLogs } from './support/captured-logs.js';

type AsyncOptions = Parameters<typeof SnowflakeModule.forRootAsync>[0];

const options = (): SnowflakeModuleOptions => ({ store: staticLeaseStore({ workerId: 3 }) });

async function bootWith(...imports: NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>) {
  const app = await Test.createTestingModule({ imports }).setLogger(new CapturedLogs()).compile();
  return app.init();
}

function expectRefused(call: () => unknown, option: string): void {
  expect(call).toThrow(InvalidOptionError);
  expect(call).toThrow(expect.objectContaining({ option, code: 'SNOWFLAKE_INVALID_OPTION' }));
}

describe('SnowflakeModule without options', () => {
  const given: unknown[] = [undefined, null, 7, 'redis://localhost', []];

  it.each(given)('forRoot refuses %p as it is called', (none) => {
    const call = () => SnowflakeModule.forRoot(none as SnowflakeModuleOptions);
    expect(call).toThrow(InvalidOptionError);
    expect(call).toThrow(/forRoot\(options\) must be an object/);
  });

  it.each([...given, {}, { inject: [ConfigService] }])('forRootAsync refuses %p as it is called', (none) => {
    const call = () => SnowflakeModule.forRootAsync(none as AsyncOptions);
    expect(call).toThrow(InvalidOptionError);
    expect(call).toThrow(/forRootAsync\(options\) must say where the options come from.*useFactory/);
  });
});

describe('the name of an instance', () => {
  it.each([Symbol('audit'), 'a b', '', 5, {}, 'x'.repeat(65)])('is refused: %p', (given) => {
    const name = given as string;
    expectRefused(() => SnowflakeModule.forRoot({ ...options(), name }), 'name');
    expectRefused(() => SnowflakeModule.forRootAsync({ useFactory: options, name }), 'name');
    expectRefused(() => getSnowflakeToken(name), 'name');
    expectRefused(() => InjectSnowflake(name), 'name');
  });
});

describe('what stands beside the options', () => {
  it.each<[string, object]>([
    ['nmae', { useFactory: options, nmae: 'audit' }],
    ['isglobal', { useFactory: options, isglobal: false }],
    ['store', { useFactory: options, store: staticLeaseStore({ workerId: 1 }) }],
    ['isGlobal', { useFactory: options, isGlobal: 'false' }],
    ['useFactory', { useFactory: 5 }],
    ['useFactory', { useFactory: options() }],
    ['useClass', { useClass: options() }],
    ['useExisting', { useExisting: options() }],
    ['inject', { useFactory: options, inject: ConfigService }],
  ])('is refused by forRootAsync as it is called: %s in %p', (option, given) => {
    expectRefused(() => SnowflakeModule.forRootAsync(given as AsyncOptions), option);
  });

  it('is refused by forRoot as it is called', () => {
    const isGlobal = 'false' as unknown as boolean;
    expectRefused(() => SnowflakeModule.forRoot({ ...options(), isGlobal }), 'isGlobal');
  });

  it('is whatever Nest allows', async () => {
    const app = await bootWith(
      SnowflakeModule.forRootAsync({
        name: 'audit',
        isGlobal: true,
        imports: [ConfigModule.forRoot({ ignoreEnvFile: true, load: [() => ({ WORKER_ID: 9 })] })],
        inject: [ConfigService, 'label', { token: 'nothing', optional: true }],
        provideInjectionTokensFrom: [{ provide: 'label', useValue: 'a label' }],
        useFactory: (config: ConfigService, label: string, nothing: unknown) => {
          expect({ label, nothing }).toEqual({ label: 'a label', nothing: undefined });
          return { store: staticLeaseStore({ workerId: config.getOrThrow('WORKER_ID') }) };
        },
      }),
    );
    expect(app.get<SnowflakeIdMaker>(getSnowflakeToken('audit')).status().workerId).toBe(9);
    await app.close();
  });
});

describe('a class that is to provide the options', () => {
  @Injectable()
  class Empty {}

  @Module({ providers: [Empty], exports: [Empty] })
  class EmptyModule {}

  it.each<[string, object]>([
    ['useClass', { useClass: Empty }],
    ['useExisting', { imports: [EmptyModule], useExisting: Empty }],
  ])('is refused without its method: %s', async (_source, given) => {
    const boot = bootWith(SnowflakeModule.forRootAsync(given as AsyncOptions));
    await expect(boot).rejects.toThrow(InvalidOptionError);
    await expect(boot).rejects.toThrow(
      /^useClass or useExisting must have the method createSnowflakeOptions\(\)/,
    );
  });

  it('may have it as a property', async () => {
    @Injectable()
    class Config implements SnowflakeOptionsFactory {
      createSnowflakeOptions = options;
    }
    const app = await bootWith(SnowflakeModule.forRootAsync({ useClass: Config }));
    expect(app.get(SnowflakeIdMaker).status().workerId).toBe(3);
    await app.close();
  });
});

describe('SnowflakeModule itself', () => {
  @Module({ imports: [SnowflakeModule] })
  class FeatureModule {}

  it('is refused as an import: it has no options', async () => {
    const boot = bootWith(SnowflakeModule);
    await expect(boot).rejects.toThrow(InvalidOptionError);
    await expect(boot).rejects.toThrow(/^imports lists the class itself.*SnowflakeModule\.forRoot\(/);
  });

  it('is refused so beside a registration, too', async () => {
    await expect(bootWith(SnowflakeModule.forRoot(options()), FeatureModule)).rejects.toThrow(
      /^imports lists the class itself/,
    );
    await expect(bootWith(FeatureModule, SnowflakeModule.forRoot(options()))).rejects.toThrow(
      /^imports lists the class itself/,
    );
  });
});
