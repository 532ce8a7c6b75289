import {
  type BitLayout,
  type BitLayoutOptions,
  type Instant,
  InvalidOptionError,
  type LayoutPresetName,
  requireBoolean,
  requireWholeNumber,
} from '../core/index.js';
import { blockOf, IDS_PER_TEST_FILE, uniqueStart } from './first-ids.js';

/** Options of {@link fakeIdMaker}. */
export interface FakeIdMakerOptions {
  /**
   * The first ID; with `testFile`, its place in the block of that file.
   * Bounds: 1 to the largest ID of the layout; with `testFile`, 1 to 1,000,000.
   *
   * @defaultValue `1` with `testFile`; otherwise an ID of the past that no other fake begins with, different in every run
   */
  start?: string | bigint | number;
  /**
   * What each ID adds to the one before.
   * Bounds: 1 to 1,000,000.
   *
   * @defaultValue `1`
   */
  step?: number;
  /**
   * `import.meta.url` or `__filename` of the test file, or a name that no other file uses. The file gets a block of 1,000,000
   * IDs of its own, the same in every run and on every machine: a hash of its path from the nearest `package.json`.
   *
   * Two files can get the same block, with a probability below 1 in 10,000 among 1,000 files.
   *
   * @defaultValue no block
   */
  testFile?: string;
  /**
   * Whether this fake may make IDs that another fake of this process has made. For tests that begin with an empty database
   * each.
   *
   * @defaultValue `false`
   */
  mayRepeat?: boolean;
  /**
   * The layout that `decode()` and `idRange()` read IDs by. Pass that of the app.
   *
   * @defaultValue 41 + 10 + 12 bits
   */
  layout?: BitLayoutOptions | LayoutPresetName;
  /**
   * The instant that timestamps count from. Pass that of the app.
   *
   * @defaultValue `'2024-01-01T00:00:00Z'`, or the epoch of the preset
   */
  epoch?: Instant;
}

/** The IDs of a fake: `first`, `first + step` and so on, none above `last`. */
export interface FakeSequence {
  readonly first: bigint;
  readonly step: bigint;
  readonly last: bigint;
  readonly mayRepeat: boolean;
}

export const FAKE_OPTIONS = {
  start: true,
  step: true,
  testFile: true,
  mayRepeat: true,
  layout: true,
  epoch: true,
} satisfies Record<keyof FakeIdMakerOptions, true>;

const LONGEST_STEP = 1_000_000;
const WHOLE_NUMBER = /^[1-9]\d{0,18}$/;

/** Checks the options, and returns the IDs that the fake makes. @throws InvalidOptionError */
export function fakeSequence(options: FakeIdMakerOptions, layout: BitLayout): FakeSequence {
  const step = BigInt(requireWholeNumber('step', options.step ?? 1, 1, LONGEST_STEP));
  const mayRepeat = requireBoolean('mayRepeat', options.mayRepeat ?? false);
  return { ...bounds(options, layout), step, mayRepeat };
}

function bounds(
  { start, testFile }: FakeIdMakerOptions,
  layout: BitLayout,
): Pick<FakeSequence, 'first' | 'last'> {
  const last = ((BigInt(layout.maxTick) + 1n) << BigInt(layout.field('timestamp').shift)) - 1n;
  if (testFile === undefined) {
    return { first: start === undefined ? uniqueStart(layout, last) : requireStart(start, last), last };
  }
  const before = blockOf(testFile, last);
  return {
    first: before + requireStart(start ?? 1, IDS_PER_TEST_FILE),
    last: before + IDS_PER_TEST_FILE,
  };
}

function requireStart(start: unknown, last: bigint): bigint {
  const isExact =
    typeof start === 'number' ? Number.isSafeInteger(start) : /^(string|bigint)$/.test(typeof start);
  const digits = isExact ? String(start) : '';
  if (WHOLE_NUMBER.test(digits) && BigInt(digits) <= last) return BigInt(digits);
  throw new InvalidOptionError(
    'start',
    start,
    'is out of bounds',
    `Use a whole number from 1 to ${last}; above 2 ** 53, as a string or a bigint.`,
  );
}
