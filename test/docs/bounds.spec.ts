import fc from 'fast-check';
import { suggestLayout } from 'nestjs-snowflake/core';
import {
  InvalidOptionError,
  kubernetesLeaseStore,
  memoryLeaseStore,
  SnowflakeIdMaker,
  SnowflakeModule,
  type SnowflakeOptions,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { memorySegmentStore, Segments } from 'nestjs-snowflake/segments';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { checkConsoleOptions } from '../../libs/snowflake-console/src/nest/console-options.js';
import { SeriesDefinition } from '../../libs/snowflake/src/core/series/index.js';
import { leaseTiming, type LeaseTimingOptions } from '../../libs/snowflake/src/lease/lease-timing.js';
import { requireModuleOptions } from '../../libs/snowflake/src/nest/module-options.js';
import { checkTag } from '../../libs/snowflake/src/segments/segments-options.js';
import { codeIn, MarkdownPage } from './markdown.js';

const page = MarkdownPage.read('docs/reference/options.md');
const prose = page.prose.replaceAll('\n', ' ');
const DEFAULT_WINDOW_MS = 60_000;
/** Wide enough for nothing but the field in question. */
const NARROW = { timestampBits: 22, workerBits: 0, sequenceBits: 1 };

type Use = (value: number) => unknown;

const maker = (options: Partial<SnowflakeOptions>): SnowflakeIdMaker =>
  new SnowflakeIdMaker({ store: memoryLeaseStore(), ...options });
const withLayout =
  (name: string): Use =>
  (value) =>
    maker({ layout: { ...NARROW, [name]: value } });
const withLease =
  (name: string): Use =>
  (value) =>
    maker({ lease: { [name]: value } });
const onPod = (options: object): unknown => kubernetesLeaseStore({ hostname: 'web-3', ...options });

const withSegments =
  (name: string): Use =>
  (value) =>
    new Segments({ store: memorySegmentStore(), [name]: value });

const RULES_OF_SERIES = { format: '{number}', resets: 'never', zone: 'UTC' } as const;
const withConsole = (options: object): unknown =>
  checkConsoleOptions({ authorize: 'development-only', ...options }, 'test');

const suggesting =
  (name: string): Use =>
  (value) =>
    suggestLayout({ years: 1, workers: 1, idsPerSecondPerWorker: 1, [name]: value });

/** The section and the table of an option, and a use of it with a value. */
const USES: readonly (readonly [heading: string, table: number, option: string, use: Use])[] = [
  ['Module', 0, 'maxDriftMs', (maxDriftMs) => maker({ maxDriftMs })],
  ['Module', 0, 'rollbackToleranceMs', (rollbackToleranceMs) => maker({ rollbackToleranceMs })],
  [
    'Module',
    0,
    'drainTimeoutMs',
    (drainTimeoutMs) => requireModuleOptions({ store: memoryLeaseStore(), drainTimeoutMs }),
  ],
  ['Bit layout', 0, 'timestampBits', withLayout('timestampBits')],
  ['Bit layout', 0, 'datacenterBits', withLayout('datacenterBits')],
  ['Bit layout', 0, 'workerBits', withLayout('workerBits')],
  ['Bit layout', 0, 'sequenceBits', withLayout('sequenceBits')],
  ['Bit layout', 0, 'tickMs', withLayout('tickMs')],
  ...['windowMs', 'renewEveryMs', 'reserveMs', 'maxSkewMs', 'callTimeoutMs', 'acquireTimeoutMs'].map(
    (name) => ['Lease', 0, name, withLease(name)] as const,
  ),
  ['Lease', 0, 'firstWorkerId', withLease('firstWorkerId')],
  ['Lease', 0, 'workerCount', withLease('workerCount')],
  ['kubernetesLeaseStore()', 0, 'firstOrdinal', (firstOrdinal) => onPod({ firstOrdinal })],
  ['kubernetesLeaseStore()', 0, 'offset', (offset) => onPod({ offset })],
  ...['step', 'outageMinutes', 'maxStep', 'callTimeoutMs', 'readyTimeoutMs', 'stopTimeoutMs'].map(
    (name) => ['Segments', 0, name, withSegments(name)] as const,
  ),
  ['Options of a tag', 0, 'step', (step) => checkTag({ tag: 'order', step })],
  ['@SeriesNumber()', 0, 'maxLength', (maxLength) => new SeriesDefinition({ ...RULES_OF_SERIES, maxLength })],
  ['SnowflakeConsoleModule', 0, 'maxListeners', (maxListeners) => withConsole({ maxListeners })],
  ['generate', 0, 'maxCount', (maxCount) => withConsole({ generate: { maxCount } })],
  ['generate', 0, 'perMinute', (perMinute) => withConsole({ generate: { perMinute } })],
  ...['years', 'workers', 'idsPerSecondPerWorker', 'tickMs'].map(
    (name) => ['suggestLayout()', 0, name, suggesting(name)] as const,
  ),
];

/** The bounds on the page: `0 to 31`, "1 to `windowMs`", `1 to 60,000, and at least one tick`. */
const BOUNDS = /^([\d,]+) to ([\d,]+?|`windowMs`)(?:, (?:and|or) .*)?$/;

function boundsOf(heading: string, index: number, option: string): [number, number] {
  const table = page.tablesUnder(heading)[index];
  const row = table?.rows.find(([name = '']) => codeIn(name).includes(option)) ?? [];
  const text = row[table?.columns.indexOf('Bounds') ?? -1] ?? '';
  const [, min, max] =
    BOUNDS.exec(text)?.map((part) => part?.replace('`windowMs`', String(DEFAULT_WINDOW_MS))) ?? [];
  if (min === undefined || max === undefined) throw new Error(`The page has no bounds of ${option}: ${text}`);
  return [Number(min.replaceAll(',', '')), Number(max.replaceAll(',', ''))];
}

function refusalOf(use: () => unknown): InvalidOptionError | undefined {
  try {
    use();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidOptionError) return error;
    throw error;
  }
}

/** Whether a value is refused because it is out of bounds, and not because it does not fit the others. */
function isOutOfBounds(option: string, use: Use, value: number): boolean {
  const refusal = refusalOf(() => use(value));
  if (refusal === undefined || !refusal.option.endsWith(option)) return false;
  expect(refusal).toMatchObject({ code: 'SNOWFLAKE_INVALID_OPTION', value });
  return refusal.remedy.startsWith('Use a whole number from ');
}

describe('the bounds of options', () => {
  it.each(USES)('hold at both ends: %s, table %i, %s', (heading, index, option, use) => {
    const [min, max] = boundsOf(heading, index, option);
    const judged = [min - 1, min, max, max + 1].map((value) => isOutOfBounds(option, use, value));
    expect(judged).toEqual([true, false, false, true]);
    expect(isOutOfBounds(option, use, min + 0.5)).toBe(true);
  });

  it('are those of all options that have a smallest and a largest number', () => {
    const bounded = page.tables.flatMap(({ columns, rows }) =>
      rows
        .filter((row) => BOUNDS.test(row[columns.indexOf('Bounds')] ?? ''))
        .map(([name = '']) => codeIn(name)[0]),
    );
    expect(bounded.sort()).toEqual(USES.map(([, , option]) => option).sort());
  });

  it('are numbers of what the name of the option says', () => {
    const unnamed = USES.map(([, , option]) => option).filter(
      (option) =>
        !/(Ms|[mM]inutes?|Bits|Id|Count|Length|Listeners|[sS]tep|Ordinal|offset|years|workers|PerWorker)$/.test(
          option,
        ),
    );
    expect(unnamed).toEqual([]);
  });

  it('of rollbackToleranceMs are narrower under wait, and those of maxDriftMs begin at a tick', () => {
    const waiting = (rollbackToleranceMs: number): unknown =>
      refusalOf(() => maker({ onClockRollback: 'wait', rollbackToleranceMs }));
    expect([waiting(1000), waiting(1001)]).toEqual([undefined, expect.any(InvalidOptionError)]);
    const layout = { tickMs: 10, workerBits: 10, sequenceBits: 12 };
    const lease = { windowMs: 600_000 };
    const drifting = (maxDriftMs: number): unknown => refusalOf(() => maker({ layout, lease, maxDriftMs }));
    expect([drifting(9), drifting(10)]).toEqual([expect.any(InvalidOptionError), undefined]);
  });

  it.each<[string, number, (text: string) => unknown]>([
    ['name', 64, (name) => SnowflakeModule.forRoot({ store: memoryLeaseStore(), name })],
    ['namespace', 128, (namespace) => redisLeaseStore({ url: 'redis://127.0.0.1:1', namespace })],
    [
      'namespace',
      128,
      (namespace) =>
        sqlLeaseStore({ dataSource: { type: 'postgres', url: 'postgres://db/shop' }, namespace }),
    ],
    [
      'tableName',
      40,
      (tableName) =>
        sqlLeaseStore({
          dataSource: { type: 'postgres', url: 'postgres://db/shop' },
          namespace: 'shop',
          tableName,
        }),
    ],
  ])('of the length of %s hold at both ends: 1 to %i', (option, longest, use) => {
    const refused = [0, 1, longest, longest + 1].map((length) => refusalOf(() => use('a'.repeat(length))));
    expect(refused.map((refusal) => refusal?.option)).toEqual([option, undefined, undefined, option]);
  });

  it.each([
    [0, 1023],
    [1, 1022],
  ])('of a fixed worker ID are those of its field: from %i, up to %i', async (least, most) => {
    for (const workerId of [least, most]) {
      const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId }) });
      await ids.start();
      expect(ids.decode(ids.nextId()).workerId).toBe(workerId);
      await ids.stop();
    }
  });
});

/** As the page has it. */
const RULE = `
- 1.1 × \`renewEveryMs\` (rounded up) + 2 × \`callTimeoutMs\` + \`maxSkewMs\` + \`reserveMs\` < \`windowMs\`,
- 2 × \`callTimeoutMs\` ≤ \`maxSkewMs\`,
- \`reserveMs\` ≥ 2 × \`tickMs\`,
- \`acquireTimeoutMs\` > \`windowMs\` + \`maxSkewMs\`, under \`possibleLoss: 'wait'\`.
`;

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

  it('are those that the documented rule lets fit', () => {
    expect(page.prose).toContain(RULE);
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
      { numRuns: 5000 },
    );
    expect(Math.min(seen.fit, seen.unfit)).toBeGreaterThan(100);
  });

  it('leave a reserve of two ticks', () => {
    const reserving = (reserveMs: number): unknown =>
      refusalOf(() => leaseTiming({ windowMs: 10_000, reserveMs }, 10, 'wait'))?.option;
    expect([reserving(19), reserving(20)]).toEqual(['lease.reserveMs', undefined]);
  });

  it('need no long acquireTimeoutMs under assumeNew', () => {
    const short = { windowMs: 10_000, acquireTimeoutMs: 1 };
    expect(refusalOf(() => leaseTiming(short, 1, 'wait'))?.option).toBe('lease.acquireTimeoutMs');
    expect(refusalOf(() => leaseTiming(short, 1, 'ignore'))).toBeUndefined();
  });

  it('allow minReplicas by default from the documented window on', () => {
    const [, window = ''] = /With a `windowMs` of ([\d,]+) or more/.exec(prose) ?? [];
    const windowMs = Number(window.replaceAll(',', ''));
    expect(leaseTiming({ windowMs }, 1, 'wait').callTimeoutMs).toBe(1400);
    expect(leaseTiming({ windowMs: windowMs - 1 }, 1, 'wait').callTimeoutMs).toBeLessThan(1400);
  });

  it('are the defaults of every window', () => {
    const windows = fc.oneof(
      fc.integer({ min: 1000, max: 86_400_000 }),
      fc.integer({ min: 1000, max: 3000 }),
      fc.constantFrom(1000, 86_400_000),
    );
    fc.assert(
      fc.property(windows, (windowMs) => {
        const timing = leaseTiming({ windowMs }, 1, 'wait');
        expect(fits(timing)).toBe(true);
        expect(timing).toEqual({
          windowMs,
          renewEveryMs: Math.floor(windowMs / 6),
          reserveMs: Math.floor(windowMs / 6),
          maxSkewMs: Math.floor(windowMs / 12),
          callTimeoutMs: Math.min(2000, Math.floor(windowMs / 30)),
          acquireTimeoutMs: windowMs + Math.floor(windowMs / 12) + 15_000,
        });
      }),
      { numRuns: 2000 },
    );
  });
});
