import fc from 'fast-check';
import {
  InvalidOptionError,
  kubernetesLeaseStore,
  memoryLeaseStore,
  SnowflakeIdMaker,
} from 'nestjs-snowflake';
import { BitLayout, DEFAULT_EPOCH, suggestLayout } from 'nestjs-snowflake/core';
import { memorySegmentStore, Segments } from 'nestjs-snowflake/segments';
import { checkConsoleOptions } from '../../libs/snowflake-console/src/nest/console-options.js';
import { generatorSettings } from '../../libs/snowflake/src/core/generator/generator-options.js';
import { SeriesDefinition } from '../../libs/snowflake/src/core/series/index.js';
import { DEFAULT_DRAIN_TIMEOUT_MS } from '../../libs/snowflake/src/kit/nest/bounded-drain.js';
import { keeperSettings } from '../../libs/snowflake/src/lease/index.js';
import { leaseTiming, type LeaseTimingOptions } from '../../libs/snowflake/src/lease/lease-timing.js';
import { requireModuleOptions } from '../../libs/snowflake/src/nest/module-options.js';
import { checkTag } from '../../libs/snowflake/src/segments/segments-options.js';
import { codeIn, MarkdownPage } from './markdown.js';

const page = MarkdownPage.read('docs/reference/options.md');
const layout = new BitLayout();
const DEFAULT_WINDOW_MS = 60_000;
const store = memoryLeaseStore();
/** Wide enough for nothing but the field in question. */
const NARROW = { timestampBits: 22, workerBits: 0, sequenceBits: 1 };
const RULES_OF_SERIES = { format: '{number}', resets: 'never', zone: 'UTC' } as const;

/** How the options below a heading are used. */
const USES: Readonly<Record<string, (options: Record<string, number>) => unknown>> = {
  Module: (options) => new SnowflakeIdMaker(requireModuleOptions({ store, ...options })),
  'Bit layout': (options) => new SnowflakeIdMaker({ store, layout: { ...NARROW, ...options } }),
  Lease: (lease) => new SnowflakeIdMaker({ store, lease }),
  Segments: (options) => new Segments({ store: memorySegmentStore(), ...options }),
  'Options of a tag': (options) => checkTag({ tag: 'order', ...options }),
  '@SeriesNumber()': (options) => new SeriesDefinition({ ...RULES_OF_SERIES, ...options }),
  'kubernetesLeaseStore()': (options) => kubernetesLeaseStore({ hostname: 'web-3', ...options } as object),
  'suggestLayout()': (options) =>
    suggestLayout({ years: 1, workers: 1, idsPerSecondPerWorker: 1, ...options }),
  SnowflakeConsoleModule: (options) =>
    checkConsoleOptions({ authorize: 'development-only', ...options }, 'test'),
  generate: (generate) => checkConsoleOptions({ authorize: 'development-only', generate }, 'test'),
};

/** The bounds on the page: `0 to 31`, "1 to `windowMs`", `1 to 60,000, and at least one tick`. */
const BOUNDS = /^([\d,]+) to ([\d,]+?|`windowMs`)(?:, (?:and|or) .*)?$/;

function numberIn(text = ''): number {
  return text === '`windowMs`' ? DEFAULT_WINDOW_MS : Number(text.replaceAll(',', ''));
}

/** Every option with a smallest and a largest number. */
const bounded = page.tables.flatMap(({ heading, columns, rows }) =>
  rows.flatMap((row) => {
    const [, min, max] = BOUNDS.exec(row[columns.indexOf('Bounds')] ?? '') ?? [];
    const [option = ''] = codeIn(row[0] ?? '');
    return max === undefined ? [] : [{ heading, option, min: numberIn(min), max: numberIn(max) }];
  }),
);

function refusalOf(use: () => unknown): InvalidOptionError | undefined {
  try {
    use();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidOptionError) return error;
    throw error;
  }
}

describe('the bounds on the page of options', () => {
  it.each(bounded)('$heading accepts $option from $min to $max', ({ heading, option, min, max }) => {
    /** Whether a value is refused because it is out of bounds, and not because it does not fit the others. */
    const isOutOfBounds = (value: number): boolean => {
      const refusal = refusalOf(() => USES[heading]?.({ [option]: value }));
      return (
        refusal?.option.endsWith(option) === true && refusal.remedy.startsWith('Use a whole number from ')
      );
    };
    const judged = [min - 1, min, min + 0.5, max, max + 1].map(isOutOfBounds);
    expect(judged).toEqual([true, false, true, false, true]);
  });
});

/** The defaults below a heading: the first code in the cell is JavaScript. */
function defaultsUnder(heading: string): Record<string, unknown> {
  const [table] = page.tablesUnder(heading);
  const at = table?.columns.indexOf('Default') ?? -1;
  return Object.fromEntries(
    (table?.rows ?? []).flatMap((row) => {
      const [value] = codeIn(row[at] ?? '');
      const [option = ''] = codeIn(row[0] ?? '');
      return value === undefined ? [] : [[option, JSON.parse(value.replaceAll("'", '"')) as unknown]];
    }),
  );
}

describe('the defaults on the page of options', () => {
  it('the page has the defaults of the module', () => {
    const { maxDriftTicks, ...generator } = generatorSettings(layout, {});
    expect(defaultsUnder('Module')).toEqual({
      epoch: DEFAULT_EPOCH,
      datacenterId: keeperSettings(layout, {}).datacenterId,
      ...generator,
      maxDriftMs: maxDriftTicks * layout.tickMs,
      lease: {},
      drainTimeoutMs: DEFAULT_DRAIN_TIMEOUT_MS,
    });
  });

  it('the page has the defaults of the bit layout', () => {
    const widths = layout.fields.map(({ name, bits }) => [`${name}Bits`, bits]);
    expect(defaultsUnder('Bit layout')).toMatchObject({
      ...Object.fromEntries(widths),
      tickMs: layout.tickMs,
    });
  });

  it('the page has the defaults of the lease', () => {
    const { fingerprint: _, onClockRollback: __, datacenterId: ___, ...lease } = keeperSettings(layout, {});
    expect(defaultsUnder('Lease')).toEqual(lease);
  });
});

describe('durations that fit each other', () => {
  /** The rule of the page, without the tick. */
  const fits = (timing: Required<LeaseTimingOptions>): boolean =>
    Math.ceil((11 * timing.renewEveryMs) / 10) +
      2 * timing.callTimeoutMs +
      timing.maxSkewMs +
      timing.reserveMs <
      timing.windowMs &&
    2 * timing.callTimeoutMs <= timing.maxSkewMs &&
    timing.acquireTimeoutMs > timing.windowMs + timing.maxSkewMs;

  it('the library accepts durations that keep the documented rule, and refuses others', () => {
    const seen = { fit: 0, unfit: 0 };
    const windowMs = 1000;
    const ms = (most: number): fc.Arbitrary<number> => fc.integer({ min: 1, max: most });
    const timings = fc
      .record({ renewEveryMs: ms(600), callTimeoutMs: ms(80), maxSkewMs: ms(160), over: ms(1000) })
      .chain(({ over, ...some }) => {
        const leftMs =
          windowMs - Math.ceil((11 * some.renewEveryMs) / 10) - 2 * some.callTimeoutMs - some.maxSkewMs;
        // On both sides of the edge, and on it.
        return fc
          .integer({ min: Math.max(2, leftMs - 2), max: Math.max(2, leftMs + 2) })
          .map((reserveMs) => ({
            ...some,
            windowMs,
            reserveMs: Math.min(reserveMs, windowMs),
            acquireTimeoutMs: windowMs + some.maxSkewMs + (over % 3) - 1,
          }));
      });
    fc.assert(
      fc.property(timings, (timing) => {
        const refusal = refusalOf(() => leaseTiming(timing, 1, 'wait'));
        expect(refusal === undefined).toBe(fits(timing));
        seen[refusal ? 'unfit' : 'fit']++;
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(seen.fit, seen.unfit)).toBeGreaterThan(20);
  });

  it('the defaults of every window keep the rule', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 86_400_000 }), (windowMs) => {
        expect(fits(leaseTiming({ windowMs }, 1, 'wait'))).toBe(true);
      }),
      { numRuns: 500, examples: [[1000], [86_400_000]] },
    );
  });
});
