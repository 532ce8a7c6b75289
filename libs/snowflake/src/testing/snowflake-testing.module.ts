import { type DynamicModule, Module } from '@nestjs/common';
import { requireMethods, requireOptions } from '../core/index.js';
import type { SnowflakeIdMaker } from '../maker/index.js';
import { getSnowflakeToken, SnowflakeModule } from '../nest/index.js';
import type { SnowflakeModuleExtras } from '../nest/index.js';
import { FAKE_OPTIONS, type FakeIdMakerOptions } from './fake-options.js';
import { fakeIdMaker, NO_STORE } from './fake-id-maker.js';

/** Options of {@link SnowflakeTestingModule}: those of {@link fakeIdMaker}, and those of a registration. */
export interface SnowflakeTestingModuleOptions extends FakeIdMakerOptions, SnowflakeModuleExtras {
  /**
   * The ID maker to provide. Pass one to share it among several apps of a test file. The module never stops it.
   *
   * @defaultValue `fakeIdMaker()` with the other options
   */
  ids?: SnowflakeIdMaker;
}

const OPTIONS = { ...FAKE_OPTIONS, ids: true, name: true, isGlobal: true } satisfies Record<
  keyof SnowflakeTestingModuleOptions,
  true
>;

/**
 * Takes the place of `SnowflakeModule` in a test: provides a {@link fakeIdMaker}, under the same tokens, and attaches it to
 * the app's DataSources. It leases nothing and connects to no store.
 *
 * ```ts
 * Test.createTestingModule({ imports: [SnowflakeTestingModule.forRoot({ start: 1001 }), OrdersModule] })
 * ```
 *
 * To keep the imports of an app as they are, override the provider instead:
 * `overrideProvider(SnowflakeIdMaker).useValue(fakeIdMaker())`.
 */
@Module({ imports: [registrationOf({})] })
export class SnowflakeTestingModule {
  /**
   * Registers an instance. The class alone registers the default instance without options, as one fake for all apps of a test
   * file.
   *
   * @throws InvalidOptionError as {@link fakeIdMaker}, and if `name`, `isGlobal` or `ids` is invalid
   */
  static forRoot(options: SnowflakeTestingModuleOptions = {}): DynamicModule {
    requireOptions('SnowflakeTestingModule', options, OPTIONS);
    return registrationOf(options);
  }
}

function registrationOf({ ids, name, isGlobal, ...fake }: SnowflakeTestingModuleOptions): DynamicModule {
  const maker = ids === undefined ? fakeIdMaker(fake) : requireMaker(ids);
  const { providers = [], ...definition } = SnowflakeModule.forRoot({ store: NO_STORE, name, isGlobal });
  // The last provider of a token replaces the others.
  return { ...definition, providers: [...providers, { provide: getSnowflakeToken(name), useValue: maker }] };
}

function requireMaker(ids: SnowflakeIdMaker): SnowflakeIdMaker {
  return requireMethods('ids', ids, ['nextId', 'ready'], 'Pass fakeIdMaker(), or leave it out.');
}
