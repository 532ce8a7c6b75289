import { ModulesContainer } from '@nestjs/core';
import * as nest from 'nestjs-snowflake';
import * as core from 'nestjs-snowflake/core';
import * as drizzle from 'nestjs-snowflake/drizzle';
import * as etcd from 'nestjs-snowflake-coordination/etcd';
import * as mikroOrm from 'nestjs-snowflake/mikro-orm';
import * as obfuscation from 'nestjs-snowflake/obfuscation';
import * as prisma from 'nestjs-snowflake/prisma';
import * as redis from 'nestjs-snowflake/redis';
import * as remote from 'nestjs-snowflake/remote';
import * as segments from 'nestjs-snowflake-segments';
import * as remoteSegments from 'nestjs-snowflake-segments/remote';
import * as service from 'nestjs-snowflake-service';
import * as serviceGrpc from 'nestjs-snowflake-service/grpc';
import * as sql from 'nestjs-snowflake/sql';
import * as standalone from 'nestjs-snowflake/standalone';
import * as storePort from 'nestjs-snowflake/store';
import * as segmentStoreTesting from 'nestjs-snowflake-segments/store-testing';
import * as testing from 'nestjs-snowflake/testing';
import * as typeorm from 'nestjs-snowflake/typeorm';
import * as zookeeper from 'nestjs-snowflake-coordination/zookeeper';
import { VirtualClock } from '../../libs/snowflake/src/stores/port/virtual-clock.js';

type Callable = (...given: unknown[]) => unknown;
/** A function, and right arguments of it. */
type Call = readonly [call: Callable, ...right: unknown[]];
type Calls = Readonly<Record<string, Call>>;
type Arguments<On> = Partial<Record<keyof On & string, readonly unknown[]>>;

/** The entry points of which everything is called with wrong arguments. */
export const ENTRY_POINTS = {
  nest,
  core,
  obfuscation,
  drizzle,
  etcd,
  mikroOrm,
  prisma,
  redis,
  remote,
  remoteSegments,
  segments,
  service,
  serviceGrpc,
  sql,
  standalone,
  storePort,
  testing,
  typeorm,
  zookeeper,
};

const layout = new core.BitLayout();
const clock = new VirtualClock();
const store = standalone.staticLeaseStore({ workerId: 1 });
const ids = new standalone.SnowflakeIdMaker({ store });
const segmentStore = segments.memorySegmentStore();
const tags = new segments.Segments({ store: segmentStore });
const decoder = new core.IdDecoder(layout);
const runner = { describe() {}, it() {} };
const localUrl = { url: 'http://127.0.0.1:1', namespace: 'shop' };
const mikroOrmCore = {
  BigIntType: Object,
  Utils: Object.assign(() => undefined, { getORMVersion: () => '7.2.1' }),
};

/** Calls of what an entry point exports, or of the methods of an object, whose names then follow `prefix`. */
function callsOf<On extends object>(on: On, given: Arguments<On>, prefix = ''): Calls {
  const calls = Object.entries<readonly unknown[]>(given as object as Record<string, unknown[]>);
  return Object.fromEntries(
    calls.map(([name, right]) => {
      const called = Reflect.get(on, name) as Callable & (new (...args: unknown[]) => object);
      const isClass = /^class\b/.test(String(called));
      const call: Callable = (...args) => (isClass ? new called(...args) : called.apply(on, args));
      return [prefix + name, [call, ...right]];
    }),
  );
}

/** Calls of everything that the entry points export, and of the methods of what they make. */
export const CALLS: Calls = {
  ...callsOf(core, {
    BitLayout: [{}, 0],
    visible: [],
    IdDecoder: [layout],
    IdGenerator: [layout, clock, {}, Math.random],
    layoutPreset: ['twitter'],
    suggestLayout: [{ years: 50, workers: 9, idsPerSecondPerWorker: 9 }],
  }),
  ...callsOf(
    layout,
    {
      compose: [{ tick: 1, workerId: 1, sequence: 1 }],
      field: ['worker'],
      tickAt: [0],
      assertUsableAt: [Date.now()],
    },
    'BitLayout.',
  ),
  ...callsOf(
    decoder,
    { decode: ['1'], firstIdAt: [clock.now()], lastIdAt: [clock.now()], idRange: [0, clock.now()] },
    'IdDecoder.',
  ),
  ...callsOf(
    new core.IdGenerator(layout, clock),
    {
      nextBigInts: [0],
      nextIds: [0],
      fillBigInts: [new BigUint64Array(0)],
      adopt: [{ workerId: 1, fromMs: 0, untilMs: 1, clockTimeUntilMs: 1 }],
      extend: [1, 1],
      correctClock: [0],
      subscribeToRollbacks: [() => undefined],
    },
    'IdGenerator.',
  ),
  ...callsOf(core, {
    bytesCodec: [],
    decimalCodec: [],
    hexCodec: [],
    sortableDecimalCodec: [],
    base32Codec: [{}],
    base36Codec: [{}],
    base62Codec: [{}],
    prefixedCodec: ['ord', core.base62Codec()],
    readableCodec: [layout],
    uuidCodec: [],
  }),
  ...callsOf(core.base62Codec(), { encode: ['1'], decode: ['00000000001'] }, 'IdCodec.'),
  ...callsOf(core.bytesCodec(), { decodeBigInt: [new Uint8Array(8)] }, 'IdCodec.'),
  ...callsOf(obfuscation, { obfuscatingCodec: [{ keys: { 1: '2b7e151628aed2a6'.repeat(4) }, current: 1 }] }),
  ...callsOf(etcd, { etcdLeaseStore: [localUrl] }),
  ...callsOf(zookeeper, { zookeeperLeaseStore: [{ connectString: '127.0.0.1:1', namespace: 'shop' }] }),
  ...callsOf(redis, { redisLeaseStore: [{ url: 'redis://127.0.0.1:1', namespace: 'shop' }] }),
  ...callsOf(remote, { remoteLeaseStore: [localUrl] }),
  ...callsOf(remoteSegments, { remoteSegmentStore: [localUrl] }),
  ...callsOf(service, {
    answerInTurn: [],
    bearerTokens: [[{ token: 'sixteen-characters', scopes: ['ids'] }]],
  }),
  ...callsOf(
    service.SnowflakeServiceModule,
    {
      forRoot: [{ authorize: () => true }],
      forRootAsync: [{ useFactory: () => ({ authorize: () => true }) }],
    },
    'SnowflakeServiceModule.',
  ),
  ...callsOf(serviceGrpc, { snowflakeGrpc: [{ url: '127.0.0.1:1' }] }),
  ...callsOf(sql, { sqlLeaseStore: [{ dataSource: { type: 'postgres' }, namespace: 'shop' }] }),
  ...callsOf(standalone, {
    environmentLeaseStore: [{ env: { SNOWFLAKE_WORKER_ID: '1' } }],
    kubernetesLeaseStore: [{}],
    staticLeaseStore: [{ workerId: 1 }],
    memoryLeaseStore: [{}],
    withLocalWindow: [standalone.memoryLeaseStore(), { file: '/tmp/w' }],
    SnowflakeIdMaker: [{ store }, { clock }],
  }),
  'staticLeaseStore, its clock': [
    (given) => standalone.staticLeaseStore({ workerId: 1, clock: given as never }),
    clock,
  ],
  'memoryLeaseStore, its clock': [(given) => standalone.memoryLeaseStore({ clock: given as never }), clock],
  'SnowflakeIdMaker, its store': [
    (given) => new standalone.SnowflakeIdMaker({ store: given as never }),
    store,
  ],
  ...callsOf(
    ids,
    {
      nextIds: [0],
      nextBigInts: [0],
      fillBigInts: [new BigUint64Array(0)],
      decode: ['1'],
      firstIdAt: [0],
      idRange: [0, 1],
      subscribe: [() => undefined],
    },
    'SnowflakeIdMaker.',
  ),
  LateIdMaker: [(given) => new standalone.LateIdMaker().bind(given as never), testing.fakeIdMaker()],
  ...callsOf(storePort, { MemoryRegistry: [], registryOverview: [{ storeNowMs: 0, rows: [] }] }),
  ...callsOf(drizzle, { snowflakeType: ['pg'] }),
  ...callsOf(mikroOrm, {
    snowflakeProperties: [mikroOrmCore, testing.fakeIdMaker()],
    verifySnowflakeOrm: [{ getMetadata: () => [], em: {} }],
  }),
  ...callsOf(prisma, {
    snowflakeIds: [testing.fakeIdMaker(), { provider: 'sqlite', models: {} }],
    verifySnowflakePrisma: [undefined],
  }),
  'snowflakeIds, its client': [
    prisma.snowflakeIds(testing.fakeIdMaker(), { provider: 'sqlite', models: {} }) as Callable,
    undefined,
  ],
  ...callsOf(
    nest.SnowflakeModule,
    { forRoot: [{ store }], forRootAsync: [{ useFactory: () => ({ store }) }] },
    'SnowflakeModule.',
  ),
  ...callsOf(nest, {
    idMakersIn: [new ModulesContainer()],
    getSnowflakeToken: ['audit'],
    InjectSnowflake: ['audit'],
  }),
  ...callsOf(testing, { fakeIdMaker: [{}] }),
  'fakeIdMaker, its start': [(given) => testing.fakeIdMaker({ start: given as never }), 1],
  'fakeIdMaker, its test file': [(given) => testing.fakeIdMaker({ testFile: given as never }), 'orders'],
  ...callsOf(testing.SnowflakeTestingModule, { forRoot: [{ start: 2 }] }, 'SnowflakeTestingModule.'),
  ...callsOf(storePort, {
    leaseStoreContract: [() => undefined, runner],
    fixedStoreContract: [() => undefined, runner],
  }),
  ...callsOf(segmentStoreTesting, { segmentStoreContract: [() => undefined, runner] }),
  ...callsOf(segments, {
    memorySegmentStore: [],
    sqlSegmentStore: [{ dataSource: { type: 'postgres' } }],
    CreateSnowflakeSegmentTables1767225600002: [],
    Segments: [{ store: segmentStore }, { clock }],
    getSegmentToken: ['order'],
    InjectSegment: ['order'],
  }),
  ...callsOf(
    tags,
    { source: ['order'], create: [{ tag: 'order' }], resume: [{ order: 1 }], subscribe: [() => undefined] },
    'Segments.',
  ),
  ...callsOf(tags.source('x'), { nextMany: [0] }, 'SegmentSource.'),
  ...callsOf(
    segments.SegmentModule,
    { forRoot: [{ store: segmentStore }], forRootAsync: [{ useFactory: () => ({ store: segmentStore }) }] },
    'SegmentModule.',
  ),
  ...callsOf(typeorm, {
    CreateSnowflakeLeaseTables1767225600000: [],
    SegmentId: ['order', {}],
    SnowflakeId: [{}],
    SnowflakeColumn: [{}],
    snowflakeIdColumn: [{}],
    snowflakeColumn: [{}],
    snowflakeSchema: [undefined],
    snowflakeSubscriber: [ids],
    SnowflakeSubscriber: [ids],
    attachSnowflake: [undefined, ids],
    verifySnowflakeDataSource: [undefined, new Set()],
    createdBetween: [decoder, 0, 1],
    prepareDatabase: [undefined],
  }),
};
