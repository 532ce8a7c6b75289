import { getMetadataArgsStorage } from 'typeorm';
import {
  environmentLeaseStore,
  InvalidOptionError,
  memoryLeaseStore,
  SnowflakeIdMaker,
  SnowflakeModule,
  type SnowflakeModuleOptions,
  staticLeaseStore,
} from 'nestjs-snowflake';
import { base36Codec } from 'nestjs-snowflake/codecs';
import { BitLayout, DEFAULT_EPOCH, suggestLayout } from 'nestjs-snowflake/core';
import { SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';
import { generatorSettings } from '../../libs/snowflake/src/core/generator/generator-options.js';
import { keeperSettings } from '../../libs/snowflake/src/lease/index.js';
import {
  DEFAULT_DRAIN_TIMEOUT_MS,
  requireModuleOptions,
} from '../../libs/snowflake/src/nest/module-options.js';
import { kubernetesLeaseStoreIn } from '../../libs/snowflake/src/stores/kubernetes/kubernetes-lease-store.js';
import { checkSqlOptions } from '../../libs/snowflake/src/stores/sql/sql-options.js';
import { LibraryTypes } from './library-types.js';
import { codeIn, MarkdownPage, type Table } from './markdown.js';
import { PAGES } from './pages.js';

const optionsPage = MarkdownPage.read('docs/reference/options.md');
const idMaker = MarkdownPage.read('docs/reference/id-maker.md');
const errorsPage = MarkdownPage.read('docs/reference/errors.md');
const types = new LibraryTypes();
const layout = new BitLayout();

function tableUnder(heading: string, index = 0, page = optionsPage): Table {
  const table = page.tablesUnder(heading)[index];
  if (!table) throw new Error(`There is no table ${index} under "${heading}"`);
  return table;
}

function cell(table: Table, row: readonly string[], heading: string): string {
  return row[table.columns.indexOf(heading)] ?? '';
}

/** Option name → what stands in another column of its row. */
function column(table: Table, name: string): Map<string, string> {
  return new Map(
    table.rows.flatMap((row) =>
      codeIn(cell(table, row, 'Option')).map((option): [string, string] => [option, cell(table, row, name)]),
    ),
  );
}

describe('the tables of options', () => {
  it.each([
    ['Module', 0, ['SnowflakeModuleOptions']],
    ['Registration', 0, ['SnowflakeModuleExtras']],
    ['Bit layout', 0, ['BitLayoutOptions']],
    ['Lease', 0, ['LeaseOptions']],
    ['redisLeaseStore()', 0, ['RedisLeaseStoreOptions']],
    ['sqlLeaseStore()', 0, ['SqlLeaseStoreOptions']],
    ['staticLeaseStore()', 0, ['StaticLeaseStoreOptions']],
    ['memoryLeaseStore()', 0, ['MemoryLeaseStoreOptions']],
    ['environmentLeaseStore()', 0, ['EnvironmentLeaseStoreOptions']],
    ['kubernetesLeaseStore()', 0, ['KubernetesLeaseStoreOptions']],
    ['withLocalWindow()', 0, ['LocalWindowOptions']],
    ['@SnowflakeId()', 0, ['SnowflakeIdOptions']],
    ['@SnowflakeColumn()', 0, ['SnowflakeColumnOptions']],
    ['Unpadded codecs', 0, ['PaddingOptions']],
    ['obfuscatingCodec()', 0, ['ObfuscatingCodecOptions']],
    ['suggestLayout()', 0, ['LayoutDemands']],
  ])('name every option there is, and no other: %s, table %i', (heading, index, interfaces) => {
    const table = tableUnder(heading, index);
    const named = table.rows.flatMap((row) => codeIn(cell(table, row, 'Option')));
    expect(named.sort()).toEqual(interfaces.flatMap((name) => types.membersOf(name)).sort());
  });

  /** The default as a value: the first code in the cell is JavaScript. */
  const said = (table: Table): Record<string, unknown> =>
    Object.fromEntries(
      [...column(table, 'Default')].flatMap(([option, text]) => {
        const [code] = codeIn(text);
        return code === undefined ? [] : [[option, JSON.parse(code.replaceAll("'", '"')) as unknown]];
      }),
    );

  it('say the defaults of the module', () => {
    const { maxDriftTicks, ...generator } = generatorSettings(layout, {});
    const { datacenterId } = keeperSettings(layout, {});
    expect(said(tableUnder('Module'))).toEqual({
      epoch: DEFAULT_EPOCH,
      datacenterId,
      ...generator,
      maxDriftMs: maxDriftTicks * layout.tickMs,
      lease: {},
      drainTimeoutMs: DEFAULT_DRAIN_TIMEOUT_MS,
    });
    const widths = layout.fields.map(({ bits }) => bits).join(' + ');
    expect(column(tableUnder('Module'), 'Default').get('layout')).toBe(`${widths} bits`);
  });

  it('say the defaults beside them', () => {
    const { global, exports } = SnowflakeModule.forRoot({ store: memoryLeaseStore() });
    expect(exports).toEqual([SnowflakeIdMaker]);
    expect(said(tableUnder('Registration'))).toEqual({ name: 'default', isGlobal: global });
  });

  it('say the defaults of the bit layout', () => {
    expect(said(tableUnder('Bit layout'))).toEqual({
      timestampBits: layout.field('timestamp').bits,
      datacenterBits: layout.field('datacenter').bits,
      workerBits: layout.field('worker').bits,
      sequenceBits: layout.field('sequence').bits,
      tickMs: layout.tickMs,
      order: ['datacenter', 'worker', 'sequence'],
    });
    const fingerprint = (order?: ('datacenter' | 'worker' | 'sequence')[]): string =>
      new BitLayout({ datacenterBits: 1, order }).fingerprint;
    expect(fingerprint()).toBe(fingerprint(['datacenter', 'worker', 'sequence']));
  });

  it('say the defaults of the lease', () => {
    const { fingerprint: _, onClockRollback: __, datacenterId: ___, ...lease } = keeperSettings(layout, {});
    expect(said(tableUnder('Lease'))).toEqual(lease);
  });

  it('say the defaults of columns', () => {
    class Row {
      id!: string;
      other!: string;
    }
    SnowflakeId()(Row.prototype, 'id');
    SnowflakeColumn()(Row.prototype, 'other');
    const [id, other] = getMetadataArgsStorage().columns.filter(({ target }) => target === Row);
    expect(said(tableUnder('@SnowflakeId()'))).toEqual({
      primary: id?.options.primary,
      update: id?.options.update,
      type: id?.options.type,
      instance: 'default',
    });
    expect(said(tableUnder('@SnowflakeColumn()'))).toEqual({
      primary: other?.options.primary,
      type: other?.options.type,
      update: other?.options.update,
    });
  });

  it('say the defaults of the SQL store and of the stores without a server', () => {
    const dataSource = { type: 'postgres', url: 'postgres://db/shop' } as const;
    const { tableName, createTable, assumeNoLostWrites } = checkSqlOptions({
      dataSource,
      namespace: 'shop',
    });
    expect(said(tableUnder('sqlLeaseStore()'))).toEqual({ tableName, createTable, assumeNoLostWrites });
    expect(memoryLeaseStore().description).toContain(
      `"${String(said(tableUnder('memoryLeaseStore()')).namespace)}"`,
    );
    const [variable = ''] = codeIn(
      column(tableUnder('environmentLeaseStore()'), 'Default').get('variable') ?? '',
    );
    expect(() => environmentLeaseStore({ env: {} })).toThrow(`${variable.replaceAll("'", '')} is not set`);
  });

  it('say the defaults of the store for Kubernetes', async () => {
    const pod = { env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, hostname: 'web-3', usesHostNetwork: false };
    const workerIdWith = async (given: object): Promise<number | undefined> => {
      const ids = new SnowflakeIdMaker({ store: kubernetesLeaseStoreIn(given, pod) });
      await ids.start();
      const { workerId } = ids.status();
      await ids.stop();
      return workerId;
    };
    const { firstOrdinal, offset } = said(tableUnder('kubernetesLeaseStore()'));
    await expect(workerIdWith({})).resolves.toBe(3 - Number(firstOrdinal) + Number(offset));
    await expect(workerIdWith({ firstOrdinal })).resolves.toBe(3);
    await expect(workerIdWith({ offset })).resolves.toBe(3);
  });

  it('say the defaults of the codecs and of suggestLayout', () => {
    expect(said(tableUnder('Unpadded codecs'))).toEqual({ padded: base36Codec().encode(0n).length > 1 });
    const demands = { years: 1, workers: 1, idsPerSecondPerWorker: 1 };
    const { tickMs, epoch } = said(tableUnder('suggestLayout()'));
    const suggested = suggestLayout(demands);
    expect(tickMs).toBe(suggested.layout.tickMs);
    expect(Date.parse(String(epoch))).toBe(Date.parse(suggested.epoch));
  });

  /** The bounds that the library names when it refuses a value: of the option, in the given environment. */
  const boundsOf = (options: Partial<SnowflakeModuleOptions>): string => {
    try {
      const store = staticLeaseStore({ workerId: 0 });
      void new SnowflakeIdMaker(requireModuleOptions({ store, ...options }));
    } catch (error) {
      if (!(error instanceof InvalidOptionError)) throw error;
      const [, min, max] = /^Use a whole number from (\d+) to (\d+)\.$/.exec(error.remedy) ?? [];
      return `${Number(min).toLocaleString('en')} to ${Number(max).toLocaleString('en')}`;
    }
    throw new Error(`${JSON.stringify(options)} was not refused`);
  };
  const narrow = { workerBits: 0, sequenceBits: 1 };

  it.each([
    ['Module', 'maxDriftMs', { maxDriftMs: -1 }],
    ['Module', 'rollbackToleranceMs', { rollbackToleranceMs: -1 }],
    ['Module', 'drainTimeoutMs', { drainTimeoutMs: -1 }],
    ['Bit layout', 'timestampBits', { layout: { ...narrow, timestampBits: -1 } }],
    ['Bit layout', 'datacenterBits', { layout: { datacenterBits: -1 } }],
    ['Bit layout', 'workerBits', { layout: { workerBits: -1 } }],
    ['Bit layout', 'sequenceBits', { layout: { sequenceBits: -1 } }],
    ['Bit layout', 'tickMs', { layout: { tickMs: -1 } }],
    ['Lease', 'windowMs', { lease: { windowMs: -1 } }],
    ['Lease', 'renewEveryMs', { lease: { renewEveryMs: -1 } }],
    ['Lease', 'reserveMs', { lease: { reserveMs: -1 } }],
    ['Lease', 'maxSkewMs', { lease: { maxSkewMs: -1 } }],
    ['Lease', 'callTimeoutMs', { lease: { callTimeoutMs: -1 } }],
    ['Lease', 'acquireTimeoutMs', { lease: { acquireTimeoutMs: -1 } }],
    ['Lease', 'firstWorkerId', { lease: { firstWorkerId: -1 } }],
    ['Lease', 'workerCount', { lease: { workerCount: -1 } }],
  ])('say the bounds: %s, %s', (heading, option, refused: Partial<SnowflakeModuleOptions>) => {
    const windowMs = keeperSettings(layout, {}).windowMs.toLocaleString('en');
    const bounds = column(tableUnder(heading), 'Bounds').get(option);
    expect(bounds?.replace('`windowMs`', windowMs).replace(/, (and|or) .*/, '')).toBe(boundsOf(refused));
  });

  it('list the choices of an option in full', () => {
    const choices = (heading: string, option: string): string[] =>
      [...(column(tableUnder(heading), 'Type').get(option) ?? '').matchAll(/'(\w+)'/g)].map(
        ([, text = '']) => text,
      );
    expect(choices('Module', 'onSequenceExhausted').sort()).toEqual(
      types.textsOf('SequenceExhaustedPolicy').sort(),
    );
    expect(choices('Module', 'sequenceStart').sort()).toEqual(types.textsOf('SequenceStartPolicy').sort());
    expect(choices('Module', 'onClockRollback').sort()).toEqual(types.textsOf('ClockRollbackPolicy').sort());
    expect(choices('Lease', 'possibleLoss').sort()).toEqual(types.textsOf('PossibleLossPolicy').sort());
    expect(choices('@SnowflakeId()', 'type').sort()).toEqual(types.textsOf('SnowflakeColumnType').sort());
  });
});

describe('the table of the ID maker', () => {
  it('names every public member, and no other', () => {
    const named = tableUnder('Members', 0, idMaker).rows.flatMap(([members = '']) =>
      codeIn(members).map((code) => code.replace(/\(.*\)$/, '')),
    );
    expect(named.sort()).toEqual(types.membersOf('SnowflakeIdMaker').sort());
  });
});

/** Environment variables, which look like codes. */
const ENVIRONMENT = ['SNOWFLAKE_WORKER_ID', 'SNOWFLAKE_NAMESPACE'];

describe('the table of errors', () => {
  const table = tableUnder('All codes', 0, errorsPage);
  const rows = new Map(
    table.rows.map((row) => [codeIn(cell(table, row, 'Code'))[0] ?? '', cell(table, row, 'Retryable')]),
  );

  it('has every code once, and no other', () => {
    const codes = types.textsOf('SnowflakeErrorCode');
    expect(codes.length).toBeGreaterThan(15);
    expect([...rows.keys()].sort()).toEqual(codes.sort());
    expect(rows.size).toBe(table.rows.length);
  });

  it('says which are retryable', () => {
    const errors = types.errors();
    expect(errors.map(({ code }) => code).sort()).toEqual([...rows.keys()].sort());
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(errors.map(({ code, retryable }) => [code, retryable ? 'yes' : 'no'])),
    );
  });

  it('is right that a class is called after its code', () => {
    for (const { className, code } of types.errors()) {
      const words = code.replace('SNOWFLAKE_', '').toLowerCase().split('_');
      const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
      expect(className).toBe(`${name}Error`);
    }
  });

  it('has every code that a page names', () => {
    const unknown = PAGES.flatMap((path) => {
      const named = MarkdownPage.read(path).prose.match(/\bSNOWFLAKE_[A-Z_]+/g) ?? [];
      return named
        .filter((code) => !rows.has(code) && !ENVIRONMENT.includes(code))
        .map((code) => [path, code]);
    });
    expect(unknown).toEqual([]);
  });

  it('has every class that the page names', () => {
    const classes = ['SnowflakeError', ...types.errors().map(({ className }) => className)];
    const mentioned = errorsPage.text.match(/\b[A-Z]\w+Error\b/g) ?? [];
    expect(mentioned.filter((name) => !classes.includes(name))).toEqual([]);
  });
});
