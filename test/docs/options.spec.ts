import { InvalidOptionError, memoryLeaseStore, SnowflakeIdMaker } from 'nestjs-snowflake';
import { BitLayout, DEFAULT_EPOCH } from 'nestjs-snowflake/core';
import { memorySegmentStore, Segments } from 'nestjs-snowflake-segments';
import { CONSOLE_OPTIONS, GENERATE_OPTIONS } from '../../libs/snowflake-console/src/nest/console-options.js';
import {
  GENERATOR_OPTIONS,
  generatorSettings,
} from '../../libs/snowflake/src/core/generator/generator-options.js';
import { PADDING_OPTIONS } from '../../libs/snowflake/src/core/codecs/radix-codecs.js';
import { LAYOUT_OPTIONS } from '../../libs/snowflake/src/core/layout/layout-validation.js';
import { DEMANDS } from '../../libs/snowflake/src/core/layout/layout-demands.js';
import type { OptionRule } from '../../libs/snowflake/src/core/options/option-rule.js';
import { GRPC_OPTIONS } from '../../libs/snowflake-service/src/grpc/grpc-options.js';
import { SERVICE_OPTIONS } from '../../libs/snowflake-service/src/settings/service-options.js';
import { SERIES_OPTIONS } from '../../libs/snowflake-series/src/core/series-options.js';
import { SERIES_MODULE_OPTIONS } from '../../libs/snowflake-series/src/nest/series.module.js';
import { DRAIN_TIMEOUT_MS } from '../../libs/snowflake/src/kit/nest/bounded-drain.js';
import { keeperSettings } from '../../libs/snowflake/src/lease/lease-options.js';
import {
  ENVIRONMENT_OPTIONS,
  KUBERNETES_OPTIONS,
} from '../../libs/snowflake/src/stores/fixed/fixed-worker-ids.js';
import { MEMORY_OPTIONS } from '../../libs/snowflake/src/stores/memory/memory-lease-store.js';
import { SQL_OPTIONS } from '../../libs/snowflake/src/stores/sql/sql-options.js';
import { SQL_SEGMENT_OPTIONS } from '../../libs/snowflake-segments/src/sql/sql-segment-options.js';
import { TAG_OPTIONS } from '../../libs/snowflake-segments/src/segments/segments-options.js';
import { codeIn, MarkdownPage } from './markdown.js';
import { DOCS } from './pages.js';

const pages = DOCS.map((path) => MarkdownPage.read(path)).filter(({ text }) =>
  text.includes('<!-- options '),
);
const layout = new BitLayout();
const DEFAULT_WINDOW_MS = 60_000;
const store = memoryLeaseStore();

/** How the options below a heading are used. */
const USES: Readonly<Record<string, (options: Record<string, number>) => unknown>> = {
  Lease: (lease) => new SnowflakeIdMaker({ store, lease }),
  SegmentModule: (options) => new Segments({ store: memorySegmentStore(), ...options }),
};

/** The others are listed below sqlLeaseStore(). */
const { assumeNoLostWrites: _shared, ...ownSegmentOptions } = SQL_SEGMENT_OPTIONS;

/** The tables that check the options below a heading. */
const TABLES: Readonly<Record<string, Readonly<Record<string, OptionRule<unknown>>>>> = {
  Module: { ...GENERATOR_OPTIONS, drainTimeoutMs: DRAIN_TIMEOUT_MS },
  'Bit layout': LAYOUT_OPTIONS,
  'Unpadded codecs': PADDING_OPTIONS,
  'environmentLeaseStore()': ENVIRONMENT_OPTIONS,
  'kubernetesLeaseStore()': KUBERNETES_OPTIONS,
  'memoryLeaseStore()': MEMORY_OPTIONS,
  'sqlLeaseStore()': SQL_OPTIONS,
  'Options of a tag': TAG_OPTIONS,
  'sqlSegmentStore()': ownSegmentOptions,
  SeriesModule: SERIES_MODULE_OPTIONS,
  '@SeriesNumber()': SERIES_OPTIONS,
  'suggestLayout()': DEMANDS,
  SnowflakeServiceModule: SERVICE_OPTIONS,
  'snowflakeGrpc()': GRPC_OPTIONS,
  SnowflakeConsoleModule: CONSOLE_OPTIONS,
  generate: GENERATE_OPTIONS,
};

/** The bounds on the page: `0 to 31`, "1 to `windowMs`", `1 to 60,000, and at least one tick`, `1 to 5. It never changes`, after a type if it has several. */
const BOUNDS = /^(?:`[^`]+`, )?([\d,]+) to ([\d,]+?|`windowMs`)(?:(?:, (?:and|or)|\.) .*)?$/;

function numberIn(text = ''): number {
  return text === '`windowMs`' ? DEFAULT_WINDOW_MS : Number(text.replaceAll(',', ''));
}

/** Every option with a smallest and a largest number. */
const bounded = pages
  .flatMap(({ tables }) => tables)
  .flatMap(({ heading, columns, rows }) =>
    rows.flatMap((row) => {
      const [, min, max] = BOUNDS.exec(row[columns.indexOf('Values')] ?? '') ?? [];
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
  it.each(bounded.filter(({ heading }) => !Object.hasOwn(TABLES, heading)))(
    '$heading accepts $option from $min to $max',
    ({ heading, option, min, max }) => {
      /** Whether a value is refused because it is out of bounds, and not because it does not fit the others. */
      const isOutOfBounds = (value: number): boolean => {
        const refusal = refusalOf(() => USES[heading]?.({ [option]: value }));
        return (
          refusal?.option.endsWith(option) === true && refusal.remedy.startsWith('Use a whole number from ')
        );
      };
      const refused = [min - 1, min, min + 0.5, max, max + 1].map(isOutOfBounds);
      expect(refused).toEqual([true, false, true, false, true]);
    },
  );
});

/** The defaults below a heading: the first code in the cell. */
function defaultTextsUnder(heading: string): Record<string, string> {
  const [table] = pages.flatMap((page) => page.tablesUnder(heading));
  const at = table?.columns.indexOf('Default') ?? -1;
  return Object.fromEntries(
    (table?.rows ?? []).flatMap((row) => {
      const [text] = codeIn(row[at] ?? '');
      const [option = ''] = codeIn(row[0] ?? '');
      return text === undefined ? [] : [[option, text]];
    }),
  );
}

/** The defaults below a heading, where all of them are JavaScript. */
function defaultsUnder(heading: string): Record<string, unknown> {
  const texts = Object.entries(defaultTextsUnder(heading));
  return Object.fromEntries(
    texts.map(([option, text]) => [option, JSON.parse(text.replaceAll("'", '"')) as unknown]),
  );
}

function asCode(value: unknown): string {
  return JSON.stringify(value).replaceAll('"', "'");
}

describe('the page and the tables that check options', () => {
  it.each(Object.entries(TABLES))('have the same bounds and defaults for %s', (heading, rules) => {
    const onPage = bounded.filter((option) => option.heading === heading);
    const inTable = Object.entries(rules).flatMap(([option, { bounds }]) =>
      bounds ? [{ heading, option, ...bounds }] : [],
    );
    const byName = (a: { option: string }, b: { option: string }): number => a.option.localeCompare(b.option);
    expect(onPage.toSorted(byName)).toEqual(inTable.toSorted(byName));

    const defaults = Object.entries(rules).flatMap(([option, { defaultValue }]) =>
      // Both can say no objects, such as a clock.
      defaultValue === undefined || typeof defaultValue === 'object'
        ? []
        : [[option, asCode(defaultValue)] as const],
    );
    expect(defaultTextsUnder(heading)).toMatchObject(Object.fromEntries(defaults));
  });
});

describe('the defaults on the page of options', () => {
  it('the page has the defaults of the module', () => {
    const { maxDriftTicks, ...generator } = generatorSettings(layout, {});
    expect(defaultsUnder('Module')).toEqual({
      epoch: DEFAULT_EPOCH,
      datacenterId: keeperSettings(layout, {}).datacenterId,
      ...generator,
      maxDriftMs: maxDriftTicks * layout.tickMs,
      lease: {},
      drainTimeoutMs: DRAIN_TIMEOUT_MS.defaultValue,
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
    // That of possibleLoss depends on the store and on NODE_ENV, so the page has it in words.
    expect(defaultsUnder('Lease')).toEqual({ ...lease, possibleLoss: undefined });
  });
});
