import { type DynamicModule, Module } from '@nestjs/common';
import { requireOptions } from '../../core/options/option-checks.js';
import { getSnowflakeToken } from '../../nest/snowflake.tokens.js';
import { SnowflakeModule } from '../../nest/snowflake.module.js';
import type { SnowflakeModuleExtras } from '../../nest/snowflake.module-definition.js';
import { staticLeaseStore } from '../../stores/fixed/fixed-worker-ids.js';
import { fakeIdMaker } from './fake-id-maker.js';
import { FAKE_OPTIONS, type FakeIdMakerOptions } from './fake-options.js';

/** Options of {@link SnowflakeTestingModule}: those of {@link fakeIdMaker}, `name` and `isGlobal`. */
export interface SnowflakeTestingModuleOptions extends FakeIdMakerOptions, SnowflakeModuleExtras {}

/**
 * Replaces `SnowflakeModule` in a test: provides a {@link fakeIdMaker} under the same tokens, and attaches it to the app's
 * DataSources. It acquires no lease and connects to no store.
 *
 * To keep the imports of an app as they are, override the provider instead:
 * `overrideProvider(SnowflakeIdMaker).useValue(fakeIdMaker())`.
 *
 * @example
 * ```ts
 * const module = await Test.createTestingModule({
 *   imports: [SnowflakeTestingModule.forRoot({ start: 1001 }), OrdersModule],
 * }).compile();
 * const app = await module.init(); // attaches the fake to the DataSources
 * ```
 */
@Module({ imports: [SnowflakeTestingModule.forRoot()] })
export class SnowflakeTestingModule {
  /**
   * Registers an instance with its own fake. Apps that import the same returned module share the fake, and none of them stops
   * it. Importing the class itself does the same without options.
   *
   * @throws InvalidOptionError as {@link fakeIdMaker}, and if `name` or `isGlobal` is invalid
   */
  static forRoot(options: SnowflakeTestingModuleOptions = {}): DynamicModule {
    requireOptions('SnowflakeTestingModule', options, { ...FAKE_OPTIONS, name: true, isGlobal: true });
    const { name, isGlobal, ...fake } = options;
    const useValue = fakeIdMaker(fake);
    const store = staticLeaseStore({ workerId: 0 });
    const { providers = [], ...definition } = SnowflakeModule.forRoot({ store, name, isGlobal });
    // The last provider of a token replaces the others.
    return { ...definition, providers: [...providers, { provide: getSnowflakeToken(name), useValue }] };
  }
}
