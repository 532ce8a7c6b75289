import { Inject, Injectable, Module, type DynamicModule } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { InvalidOptionError } from '../../libs/snowflake/src/core/errors/input-errors.js';
import { StoppedError } from '../../libs/snowflake/src/core/errors/issuing-errors.js';
import { Boot } from '../../libs/snowflake/src/kit/nest/boot.js';
import { BootModule } from '../../libs/snowflake/src/kit/nest/boot.module.js';
import { BoundedDrain } from '../../libs/snowflake/src/kit/nest/bounded-drain.js';
import type { DeferredOptions } from '../../libs/snowflake/src/kit/nest/deferred-options.js';
import { featureModule, withoutOptions } from '../../libs/snowflake/src/kit/nest/feature-module.js';
import type { LeaseEvent } from '../../libs/snowflake/src/lease/lease-events.js';
import { SnowflakeIdMaker } from '../../libs/snowflake/src/maker/snowflake-id-maker.js';
import { VirtualClock } from '../../libs/snowflake/src/stores/port/virtual-clock.js';
import { memoryLeaseStore } from '../../libs/snowflake/src/stores/memory/memory-lease-store.js';
import { atOnce } from '../support/at-once.js';

const failing = (message: string) => () => Promise.reject(new Error(message));

describe('a boot', () => {
  const listeners = process.listenerCount('beforeExit');

  it('undoes every step that has succeeded, and throws the first failure to all later steps', async () => {
    const boot = new Boot();
    const undone: string[] = [];
    boot.onFailure(async () => void undone.push('first'));
    boot.onFailure(async () => void undone.push('second'));
    await expect(boot.step(failing('the cause'))).rejects.toThrow('the cause');
    expect(undone).toEqual(['first', 'second']);
    await expect(boot.step(() => 'later')).rejects.toThrow('the cause');
  });

  it('undoes everything if a check at its end fails', async () => {
    const boot = new Boot();
    let isUndone = false;
    boot.onFailure(async () => void (isUndone = true));
    boot.atEnd(failing('a column is too narrow'));
    await expect(boot.onApplicationBootstrap()).rejects.toThrow('a column is too narrow');
    expect([isUndone, boot.hasEnded]).toEqual([true, false]);
  });

  it('undoes everything when nothing keeps the process alive, since the app has failed it', async () => {
    const boot = new Boot();
    let isUndone = false;
    boot.onFailure(async () => void (isUndone = true));
    process.emit('beforeExit', 0);
    expect(isUndone).toBe(true);
    await expect(boot.step(() => 'later')).rejects.toThrow(StoppedError);
    expect(process.listenerCount('beforeExit')).toBe(listeners);
  });

  it('undoes nothing once it has ended: what fails then is a module that is loaded lazily', async () => {
    const boot = new Boot();
    let isUndone = false;
    boot.onFailure(async () => void (isUndone = true));
    await boot.onApplicationBootstrap();
    await expect(boot.step(failing('lazy'))).rejects.toThrow('lazy');
    expect([isUndone, boot.hasEnded]).toEqual([false, true]);
    await expect(boot.step(() => 'goes on')).resolves.toBe('goes on');
    const late = new Boot();
    await late.onApplicationBootstrap();
    late.onFailure(async () => void (isUndone = true));
    process.emit('beforeExit', 0);
    expect(isUndone).toBe(false);
  });
});

const TIMEOUT_MS = 10_000;
const SECOND_MS = 1_000;
const ENDING = 'Issuing stops and the lease is released.';

/** A maker that holds a lease, and the bound of its shutdown. */
async function held() {
  const clock = new VirtualClock();
  const store = memoryLeaseStore({ clock });
  const maker = new SnowflakeIdMaker({ store, lease: { possibleLoss: 'ignore' } }, { clock });
  const started = maker.start();
  await clock.advance(SECOND_MS);
  await atOnce(started);
  const events: LeaseEvent['type'][] = [];
  maker.subscribe(({ type }) => events.push(type));
  const warnings: string[] = [];
  const drain = new BoundedDrain(maker, TIMEOUT_MS, clock, (message) => warnings.push(message), ENDING);
  return { clock, maker, drain, events, warnings };
}

describe('the bound of a shutdown', () => {
  it('lets the app generate IDs until it has passed, and then stops issuing and releases the lease', async () => {
    const { clock, maker, drain, events, warnings } = await held();
    drain.begin();
    await clock.advance(TIMEOUT_MS - 1);
    expect(maker.nextId()).toMatch(/^\d+$/);
    expect(events).not.toContain('released');

    await clock.advance(SECOND_MS);
    expect(events).toContain('released');
    expect(() => maker.nextId()).toThrow(StoppedError);
    expect(warnings).toEqual([
      'The app has not shut down within drainTimeoutMs (10000 ms). Issuing stops and the lease is released. ' +
        'Look for open connections and hanging requests.',
    ]);
  });

  it('stops at once when the requests have drained before', async () => {
    const { clock, maker, drain, events, warnings } = await held();
    drain.begin();
    const ended = drain.end();
    await clock.advance(SECOND_MS);
    await atOnce(ended);
    expect(() => maker.nextId()).toThrow(StoppedError);
    await clock.advance(2 * TIMEOUT_MS);
    expect(events.filter((type) => type === 'released')).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it('counts from the first of several beginnings, and not again after the end', async () => {
    const { clock, drain, events, warnings } = await held();
    drain.begin();
    await clock.advance(TIMEOUT_MS / 2);
    drain.begin();
    await clock.advance(TIMEOUT_MS / 2 + SECOND_MS);
    expect(events).toContain('released');
    await Promise.all([drain.end(), drain.end()]);
    drain.begin();
    await clock.advance(2 * TIMEOUT_MS);
    expect(events.filter((type) => type === 'released')).toHaveLength(1);
    expect(warnings).toHaveLength(1);
  });

  // Control: what happens when nothing tells the bound that the shutdown begins.
  it('lets the maker renew on and on without the bound (control)', async () => {
    const { clock, maker, events } = await held();
    await clock.advance(10 * TIMEOUT_MS);
    expect(events).toContain('renewed');
    expect(events).not.toContain('released');
    expect(maker.nextId()).toMatch(/^\d+$/);
  });
});

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
    const options = { ...source, imports: [other], ...('useFactory' in source && { inject: [Neighbour] }) };
    await expect(compile(other, ExampleModule.forRootAsync(options))).rejects.toThrow(message);
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
  ])('refuses a wrong %s of forRootAsync: %o', (option, given) => {
    const call = () => ExampleModule.forRootAsync(given as object);
    expect(call).toThrow(InvalidOptionError);
    expect(call).toThrow(expect.objectContaining({ option }));
  });

  it.each([undefined, 'size', []])('refuses %o as the argument of forRoot', (given) => {
    expect(() => ExampleModule.forRoot(given as unknown as Options)).toThrow(InvalidOptionError);
  });
});
