import { fixedRule, leafRule, type StepRule, timeRule, type TimeRuleOptions } from '../core/step-rule.js';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { requireOptions, requireWholeNumber } from 'nestjs-snowflake/internal/core/options/option-checks';
import {
  type Checked,
  checkedBy,
  checkedOptions,
  checkedValues,
  flag,
  type OptionRules,
  text,
  unchecked,
  wholeNumber,
  withMethods,
} from 'nestjs-snowflake/internal/core/options/option-rule';
import { spaceName } from 'nestjs-snowflake/internal/core/options/space-name';
import type { SegmentStore } from '../store/segment-store.js';

/** A number as a database returns it; `null` for `MAX(id)` of an empty table. */
export type HighestNumber = number | string | bigint | null | undefined;

/** How to create a tag. */
export interface TagOptions {
  /**
   * Name of the tag.
   * Bounds: 1 to 128 characters of `A-Z a-z 0-9 _ . : -`.
   */
  readonly tag: string;
  /**
   * The highest number already in use when the tag is created. The tag starts after it.
   * Bounds: 0 to 2^53 - 2, or a function that returns it, such as a query for `MAX(id)`.
   *
   * @defaultValue `0`
   */
  readonly startAfter?: HighestNumber | (() => HighestNumber | Promise<HighestNumber>);
  /**
   * The column `step` of the table, which the step rule `'leaf'` uses.
   * Bounds: 1 to 2,147,483,647.
   *
   * @defaultValue `1000`
   */
  readonly step?: number;
  /**
   * The column `description` of the table.
   * Bounds: up to 256 characters.
   *
   * @defaultValue none
   */
  readonly description?: string;
}

/** Options of {@link Segments}. */
export interface SegmentsOptions {
  /** Where the counters are kept: `sqlSegmentStore({ … })`, or `memorySegmentStore()` for tests. */
  readonly store: SegmentStore;
  /**
   * Tags whose first segments are claimed at startup, by name or as {@link TagOptions}.
   *
   * @defaultValue `[]`
   */
  readonly tags?: readonly (string | TagOptions)[];
  /**
   * Whether to create listed tags that the store doesn't have yet.
   *
   * @defaultValue `true`
   */
  readonly createTags?: boolean;
  /**
   * How many numbers one claim takes.
   * Bounds: 1 to 10,000,000, or to your `maxStep` and half of your `maxHeld`, or a name.
   *
   * `'byTime'` begins with `minStep`. Later claims last for `outageMinutes` at the rate of the last minute, but take at most twice as many
   * numbers as the last claim. After a call that found no number, a claim takes 20 times as many as the last one, up to 20,000. `'leaf'`
   * takes as many as Leaf does, beginning with the `step` of the tag's options or of the table. A number is the fixed size of a claim.
   * `ready()` and `nextMany()` get more if they need more.
   *
   * @defaultValue `'byTime'`
   */
  readonly step?: 'byTime' | 'leaf' | number;
  /**
   * How long the claimed numbers should last during a database outage, in minutes.
   * Bounds: 1 to 1,440.
   *
   * @defaultValue `10`
   */
  readonly outageMinutes?: number;
  /**
   * The size of the first claim, and the smallest one. A crash of an idle process can lose up to one and a half times as many numbers.
   * Bounds: 1 to `maxStep`.
   *
   * The process keeps at least half as many numbers in reserve. If one request takes more than these with `next()`, raise `minStep`, or
   * await `ready(count)` first.
   *
   * @defaultValue `50`
   */
  readonly minStep?: number;
  /**
   * The largest size of a claim.
   * Bounds: 1 to 1,000,000,000.
   *
   * @defaultValue `10000000`
   */
  readonly maxStep?: number;
  /**
   * How many numbers the process holds per tag at most. A crash loses all of them.
   * Bounds: `minStep` to 1,000,000,000,000.
   *
   * @defaultValue `100000000`
   */
  readonly maxHeld?: number;
  /**
   * How long a call to the store may take, in milliseconds.
   * Bounds: 100 to 60,000.
   *
   * @defaultValue `5000`
   */
  readonly callTimeoutMs?: number;
  /**
   * How long startup and `ready()` wait for numbers, and a new tag for its `startAfter`, in milliseconds.
   * Bounds: 100 to 600,000.
   *
   * A failed startup takes longer only if the store can't take back its numbers.
   *
   * @defaultValue `30000`
   */
  readonly readyTimeoutMs?: number;
  /**
   * How long `stop()` tries to return unused numbers, in milliseconds. With 0, it returns none.
   * Bounds: 0 to 60,000.
   *
   * Each call returns up to 100 segments. Numbers that are not returned in time remain a gap.
   *
   * @defaultValue `5000`
   */
  readonly stopTimeoutMs?: number;
}

/** Checked {@link TagOptions}, with the defaults filled in. */
export type CheckedTag = Checked<typeof TAG_OPTIONS>;

/** Checked options, with the defaults filled in. */
export interface SegmentsSettings {
  readonly store: SegmentStore;
  readonly tags: readonly CheckedTag[];
  readonly createTags: boolean;
  readonly maxStep: number;
  readonly maxHeld: number;
  readonly callTimeoutMs: number;
  readonly readyTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly makeRule: () => StepRule;
}

/** Upper bound of a wait for numbers. */
export const LONGEST_READY_MS = 600_000;
const LARGEST_STEP = 1_000_000_000;
const LARGEST_HELD = 10 ** 12;
/** The step of a tag for which none is given. */
export const DEFAULT_TABLE_STEP = 1000;
const DEFAULT_MIN_STEP = 50;
const MINUTE_MS = 60_000;

type ClaimStep = NonNullable<SegmentsOptions['step']>;

/** The rule of a name that a new tag may have. The table of Leaf may hold others. */
export const TAG_NAME = spaceName('order');

export const TAG_OPTIONS = {
  tag: TAG_NAME,
  startAfter: unchecked<TagOptions['startAfter']>(),
  step: wholeNumber(1, 2 ** 31 - 1).or(DEFAULT_TABLE_STEP),
  description: text(/^.{0,256}$/s, 'is too long', 'Use up to 256 characters.').optional(),
} satisfies OptionRules<TagOptions>;

/** The bounds of `step`, `minStep` and `maxHeld` depend on others. */
const SEGMENTS_OPTIONS = {
  store: withMethods<SegmentStore>(
    'Pass sqlSegmentStore({ … }).',
    'claim',
    'returnRemainder',
    'create',
    'inspect',
    'resume',
    'close',
  ),
  tags: checkedBy((_, tags) => checkTags(tags)).or([]),
  createTags: flag().or(true),
  step: unchecked<ClaimStep>().or('byTime'),
  outageMinutes: wholeNumber(1, 1440).or(10),
  minStep: unchecked<number | undefined>(),
  maxStep: wholeNumber(1, LARGEST_STEP).or(10_000_000),
  maxHeld: unchecked<number>().or(100_000_000),
  callTimeoutMs: wholeNumber(100, 60_000).or(5000),
  readyTimeoutMs: wholeNumber(100, LONGEST_READY_MS).or(30_000),
  stopTimeoutMs: wholeNumber(0, 60_000).or(5000),
} satisfies OptionRules<SegmentsOptions>;

/**
 * Refuses options that cannot work, and fills in the defaults.
 *
 * @throws InvalidOptionError that names the option, its value and the remedy
 */
export function checkSegmentsOptions(options: SegmentsOptions): SegmentsSettings {
  const { step, outageMinutes, minStep, ...settings } = checkedOptions('options', options, SEGMENTS_OPTIONS);
  const { maxStep, maxHeld } = settings;
  const bounds = { minStep: minStep ?? Math.min(DEFAULT_MIN_STEP, maxStep), maxStep, maxHeld };
  requireWholeNumber('minStep', bounds.minStep, 1, maxStep);
  requireWholeNumber('maxHeld', maxHeld, bounds.minStep, LARGEST_HELD);
  return { ...settings, makeRule: ruleMaker(step, { outageMs: outageMinutes * MINUTE_MS, ...bounds }) };
}

/** Returns the options of all tags. @throws InvalidOptionError */
export function checkTags(tags: unknown): readonly CheckedTag[] {
  if (Array.isArray(tags)) return tags.map((each: string | TagOptions) => checkTag(each));
  throw new InvalidOptionError('tags', typeof tags, 'must be an array', "Use tags: ['order'].");
}

/** Returns the options of a tag. @throws InvalidOptionError */
export function checkTag(given: string | TagOptions): CheckedTag {
  if (typeof given === 'string') return checkTag({ tag: given });
  requireOptions('tags', given, TAG_OPTIONS);
  // `create()` takes them as they are, so no group precedes their names.
  return checkedValues('options', given, TAG_OPTIONS);
}

/** Returns a highest number as a number; 0 for an empty table. @throws InvalidOptionError */
export function checkHighest(option: string, given: unknown): number {
  if (given === null || given === undefined) return 0;
  const number = typeof given === 'string' && /^\d{1,16}$/.test(given) ? Number(given) : given;
  const exact = typeof number === 'bigint' ? Number(number) : number;
  return requireWholeNumber(option, exact, 0, Number.MAX_SAFE_INTEGER - 1);
}

function ruleMaker(step: ClaimStep, rule: TimeRuleOptions): () => StepRule {
  if (step === 'byTime') return () => timeRule(rule);
  if (step === 'leaf') return leafRule;
  // The next segment is claimed while the one in use has a rest.
  const most = Math.min(rule.maxStep, Math.floor(rule.maxHeld / 2));
  const fixed = requireWholeNumber('step', step, 1, most);
  return () => fixedRule(fixed);
}
