import { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import type { SnowflakeOptions } from '../../maker/snowflake-options.js';
import { staticLeaseStore } from '../../stores/fixed/fixed-worker-ids.js';
import { InvalidOptionError } from '../errors/input-errors.js';
import type { BitLayoutOptions } from '../layout/bit-layout-options.js';
import { BitLayout } from '../layout/bit-layout.js';
import { suggestLayout } from '../layout/suggest-layout.js';
import {
  checkedOptions,
  fitting,
  flag,
  oneOf,
  text,
  wholeNumber,
  withMethods,
  type OptionRules,
} from './option-rule.js';

interface Options {
  readonly sizeMs: number;
  readonly mode?: 'fast' | 'slow';
  readonly isLoud?: boolean;
  readonly label?: string;
  readonly clock?: { now(): number };
  readonly list?: readonly unknown[];
}

const OPTIONS = {
  sizeMs: wholeNumber(1, 10),
  mode: oneOf('fast', 'slow').or('fast'),
  isLoud: flag().or(false),
  label: text(/^[a-z]+$/, 'is not a label', 'Use lower-case letters.').optional(),
  clock: withMethods<{ now(): number }>('Pass a clock.', 'now').optional(),
  list: fitting((value) => Array.isArray(value), 'is not a list', 'Pass an array.').or([]),
} satisfies OptionRules<Options>;

function refusalOf(options: object, group = 'options'): InvalidOptionError {
  try {
    checkedOptions(group, options, OPTIONS, ['lease.windowMs']);
  } catch (error) {
    if (error instanceof InvalidOptionError) return error;
    throw error;
  }
  throw new Error('The options were accepted.');
}

describe('a table of options', () => {
  it('returns the given values, and the defaults of options that are left out or undefined', () => {
    expect(checkedOptions('options', { sizeMs: 3, isLoud: undefined }, OPTIONS)).toEqual({
      sizeMs: 3,
      mode: 'fast',
      isLoud: false,
      label: undefined,
      clock: undefined,
      list: [],
    });
    const given = {
      sizeMs: 1,
      mode: 'slow',
      isLoud: true,
      label: 'abc',
      clock: { now: Date.now },
      list: [1],
    };
    expect(checkedOptions('options', given, OPTIONS)).toEqual(given);
  });

  it.each<[string, object]>([
    ['sizeMs', {}],
    ['sizeMs', { sizeMs: 11 }],
    ['mode', { sizeMs: 1, mode: 'medium' }],
    ['isLoud', { sizeMs: 1, isLoud: null }],
    ['label', { sizeMs: 1, label: 'A' }],
    ['clock', { sizeMs: 1, clock: { now: 1 } }],
    ['list', { sizeMs: 1, list: 'abc' }],
    ['sizeMS', { sizeMs: 1, sizeMS: 1 }],
  ])('names the option %s in the error of %j, after the group that holds it', (option, options) => {
    expect(refusalOf(options).option).toBe(option);
    expect(refusalOf(options, 'lease').option).toBe(`lease.${option}`);
  });

  it('suggests the name that was probably meant, also of another group', () => {
    expect(refusalOf({ sizeMs: 1, labl: 'abc' }).message).toContain('Did you mean "label"?');
    expect(refusalOf({ sizeMs: 1, windowMs: 1 }).message).toContain('Did you mean "lease.windowMs"?');
  });

  it('says its problem and its remedy if a value does not fit', () => {
    expect(refusalOf({ sizeMs: 1, label: 'A' })).toMatchObject({
      value: 'A',
      problem: 'is not a label',
      remedy: 'Use lower-case letters.',
    });
  });

  it('does not show an object that lacks a method, nor the URL that stands in its place', () => {
    expect(refusalOf({ sizeMs: 1, clock: 'redis://:hunter2@db' }).message).not.toContain('hunter2');
  });

  it('has the bounds and the default of each option as data', () => {
    const { sizeMs, mode } = OPTIONS;
    expect([sizeMs.bounds, sizeMs.defaultValue]).toEqual([{ min: 1, max: 10 }, undefined]);
    expect([mode.bounds, mode.defaultValue]).toEqual([undefined, 'fast']);
    expect(wholeNumber(1, 10).or(5).bounds).toEqual({ min: 1, max: 10 });
  });
});

const store = staticLeaseStore({ workerId: 0 });
const maker = (options: object) => (): unknown =>
  new SnowflakeIdMaker({ store, ...options } as SnowflakeOptions);

describe('an unknown option', () => {
  it.each<[string, () => unknown, string]>([
    [
      'misspelt',
      maker({ epcoh: 0 }),
      'Unknown option "epcoh". Did you mean "epoch"? Valid options: store, layout,',
    ],
    [
      'of another case',
      maker({ datacenterID: 0 }),
      'Unknown option "datacenterID". Did you mean "datacenterId"?',
    ],
    ['of a group', maker({ windowMs: 9 }), 'Unknown option "windowMs". Did you mean "lease.windowMs"?'],
    ['of the top', maker({ layout: { epoch: 0 } }), 'Unknown option "layout.epoch". Did you mean "epoch"?'],
    [
      'in a group',
      maker({ lease: { windowMS: 9 } }),
      'Unknown option "lease.windowMS". Did you mean "lease.windowMs"?',
    ],
    ['like no other', maker({ colour: 1 }), 'Unknown option "colour". Valid options: store, layout,'],
    [
      'that may be a secret',
      maker({ 'hunter2-f00b4r': 1 }),
      'Unknown option "(not shown)". Valid options: store,',
    ],
    [
      'of a layout',
      () => new BitLayout({ worker: 1 } as BitLayoutOptions),
      'Unknown option "layout.worker". Did you mean "layout.workerBits"?',
    ],
    [
      'of a suggestion',
      () => suggestLayout({ year: 1 } as unknown as Parameters<typeof suggestLayout>[0]),
      'Did you mean "years"?',
    ],
  ])('%s is refused, with the name that was meant', (_which, call, message) => {
    expect(call).toThrow(expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION' }));
    expect(call).toThrow(message);
  });
});
