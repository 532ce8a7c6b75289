import { flag, type OptionRules, text, unchecked, wholeNumber } from '../../core/options/option-rule.js';
import type { SnowflakeOptions } from '../../maker/snowflake-options.js';

/** Options of {@link fakeIdMaker}. `decode()` and `idRange()` read IDs by `layout` and `epoch`: pass those of the app. */
export interface FakeIdMakerOptions extends Pick<SnowflakeOptions, 'layout' | 'epoch'> {
  /**
   * The first ID; with `testFile`, its offset in the block of that file.
   * Bounds: 0 to the largest ID of the layout. Above 2<sup>53</sup>, pass a string or a bigint.
   *
   * @defaultValue `1` with `testFile`; otherwise a random ID of the first weeks after the epoch
   */
  start?: string | bigint | number;
  /**
   * The difference between one ID and the next.
   * Bounds: 1 to 1,000,000.
   *
   * @defaultValue `1`
   */
  step?: number;
  /**
   * `import.meta.url` or `__filename` of the test file, or a name that no other file uses. The file gets its own block of
   * 10,000 IDs, the same in every run and on every host: a hash of its path from the nearest `package.json`.
   *
   * Two files can get the same block, with a probability below 1 in 1,000,000 among 1,000 files.
   *
   * @defaultValue no block
   */
  testFile?: string;
  /**
   * Whether this fake may generate IDs that another fake of this process has generated. Set it if each test begins with an empty
   * database.
   *
   * @defaultValue `false`
   */
  mayRepeat?: boolean;
}

export const FAKE_OPTIONS = {
  start: unchecked<FakeIdMakerOptions['start']>(),
  step: wholeNumber(1, 1_000_000).or(1),
  testFile: text(
    /./s,
    'must be a string that is not empty',
    'Pass import.meta.url, or __filename in CommonJS.',
  ).optional(),
  mayRepeat: flag().or(false),
  layout: unchecked<SnowflakeOptions['layout']>(),
  epoch: unchecked<SnowflakeOptions['epoch']>(),
} satisfies OptionRules<FakeIdMakerOptions>;
