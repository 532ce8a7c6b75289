import { Inject, Injectable, Module, type DynamicModule } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { InvalidOptionError } from '../../core/errors/input-errors.js';
import { BootModule } from './boot.module.js';
import { Boot } from './boot.js';
import type { DeferredOptions } from './deferred-options.js';
import { featureModule, withoutOptions } from './feature-module.js';

interface Options {
  readonly size: number;
}
interface Extras {
  readonly label?: string;
}

const OPTIONS = Symbol('options');
const SIZE = Symbol('size');

const feature = featureModule<Options, 'createOptions', Extras>({
  name: 'Example',
  optionsToken: OPTIONS,
  factoryMethod: 'createOptions',
  extras: { label: undefined },
  remedy: 'Pass a size.',
  define: ({ label = 'none' }) => ({
    providers: [
      { provide: 'label', useValue: label },
      {
        provide: SIZE,
        useFactory: async (optionsOf: DeferredOptions<Options>) => (await optionsOf()).size,
        inject: [OPTIONS],
      },
    ],
    exports: [SIZE, 'label'],
  }),
});

@Module({ imports: [BootModule], providers: withoutOptions('ExampleModule', [OPTIONS, SIZE]) })
class ExampleModule {
  @Inject(SIZE) readonly size!: number;
  @Inject(OPTIONS) readonly optionsOf!: DeferredOptions<Options>;

  static forRoot(options: Options & Extras): DynamicModule {
    return feature.forRoot(this, options);
  }

  static forRootAsync(options: object): DynamicModule {
    return feature.forRootAsync(this, options);
  }
}

/** Has started by the time that the options are made, and stops if the boot fails. */
class Neighbour {
  isStopped = false;

  moduleIn(): DynamicModule {
    const start = (boot: Boot): Neighbour => {
      boot.onFailure(async () => void (this.isStopped = true));
      return this;
    };
    @Module({})
    class NeighbourModule {}
    const providers = [{ provide: Neighbour, useFactory: start, inject: [Boot] }];
    return { module: NeighbourModule, imports: [BootModule], providers, exports: [Neighbour] };
  }
}

const compile = (...imports: (DynamicModule | typeof ExampleModule)[]) =>
  Test.createTestingModule({ imports }).compile();

describe('a module of the kit', () => {
  it('provides the options and the extras of forRoot', async () => {
    const app = await compile(ExampleModule.forRoot({ size: 3, label: 'wide' }));
    expect([app.get(SIZE), app.get('label')]).toEqual([3, 'wide']);
  });

  it('makes the options of a factory once, however many need them', async () => {
    let calls = 0;
    const app = await compile(ExampleModule.forRootAsync({ useFactory: () => ({ size: (calls += 1) }) }));
    const { optionsOf } = app.get(ExampleModule);
    expect([app.get(SIZE), (await optionsOf()).size, calls]).toEqual([1, 1, 1]);
  });

  it('makes no options if a test overrides what needs them', async () => {
    const imports = [
      ExampleModule.forRootAsync({ useFactory: () => Promise.reject(new Error('no settings')) }),
    ];
    const app = await Test.createTestingModule({ imports }).overrideProvider(SIZE).useValue(9).compile();
    expect(app.get(SIZE)).toBe(9);
  });

  @Injectable()
  class Empty {}

  it.each<[string, object, RegExp]>([
    ['throws', { useFactory: () => Promise.reject(new Error('no settings')) }, /^no settings$/],
    ['returns nothing', { useFactory: () => undefined }, /^options are missing/],
    ['is a class without the method', { useClass: Empty }, /must have the method createOptions\(\)/],
  ])('undoes what has started if the source of options %s', async (_problem, source, message) => {
    const neighbour = new Neighbour();
    const other = neighbour.moduleIn();
    const failing = { ...source, imports: [other], ...('useFactory' in source && { inject: [Neighbour] }) };
    await expect(compile(other, ExampleModule.forRootAsync(failing))).rejects.toThrow(message);
    expect(neighbour.isStopped).toBe(true);
  });

  it('refuses the boot if the options are made for each request', async () => {
    const useFactory = () => ({ size: 1 });
    const app = await compile(ExampleModule.forRootAsync({ inject: [REQUEST], useFactory }));
    await expect(app.init()).rejects.toThrow(/^inject names a provider that is not a singleton/);
  });

  it('refuses the boot if the class itself is imported', async () => {
    await expect(compile(ExampleModule)).rejects.toThrow(/^imports lists the class itself/);
  });

  it.each<[string, unknown]>([
    ['forRootAsync(options)', undefined],
    ['forRootAsync(options)', []],
    ['forRootAsync(options)', { label: 'wide' }],
    ['lable', { useFactory: () => ({ size: 1 }), lable: 'wide' }],
    ['size', { useFactory: () => ({ size: 1 }), size: 1 }],
    ['useFactory', { useFactory: { size: 1 } }],
    ['useClass', { useClass: { size: 1 } }],
    ['useExisting', { useExisting: { size: 1 } }],
    ['inject', { useFactory: () => ({ size: 1 }), inject: 'label' }],
  ])('refuses a wrong %s of forRootAsync: %p', (option, given) => {
    const call = () => ExampleModule.forRootAsync(given as object);
    expect(call).toThrow(InvalidOptionError);
    expect(call).toThrow(expect.objectContaining({ option }));
  });

  it.each([undefined, 'size', []])('refuses %p as the argument of forRoot', (given) => {
    expect(() => ExampleModule.forRoot(given as unknown as Options)).toThrow(InvalidOptionError);
  });
});
