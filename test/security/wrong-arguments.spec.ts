import { ModulesContainer } from '@nestjs/core';
import * as nest from 'nestjs-snowflake';
import * as codecs from 'nestjs-snowflake/codecs';
import * as core from 'nestjs-snowflake/core';
import * as drizzle from 'nestjs-snowflake/drizzle';
import * as etcd from 'nestjs-snowflake/etcd';
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
import * as storeTesting from 'nestjs-snowflake/store-testing';
import * as segmentStoreTesting from 'nestjs-snowflake-segments/store-testing';
import * as testing from 'nestjs-snowflake/testing';
import * as typeorm from 'nestjs-snowflake/typeorm';
import * as zookeeper from 'nestjs-snowflake/zookeeper';
import { VirtualClock } from '../../libs/snowflake/src/store-testing/virtual-clock.js';

type Callable = (...given: unknown[]) => unknown;

class Stranger {
  readonly name = 'stranger';
}

const HOSTILE: readonly unknown[] = [
  undefined,
  null,
  {},
  [],
  Number.NaN,
  -1,
  1.5,
  '',
  'x',
  true,
  Stranger,
  new Stranger(),
  new Date(Number.NaN),
  () => undefined,
];

const layout = new core.BitLayout();
const clock = new VirtualClock();
const store = standalone.staticLeaseStore({ workerId: 1 });
const ids = new standalone.SnowflakeIdMaker({ store });
const generator = new core.IdGenerator(layout, clock);
const segmentStore = segments.memorySegmentStore();
const tags = new segments.Segments({ store: segmentStore });
const decoder = new core.IdDecoder(layout);
const mikroOrmCore = {
  BigIntType: Stranger,
  Utils: Object.assign(() => undefined, { getORMVersion: () => '7.2.1' }),
};

/** Makes what the entry point exports under a name, whether a class or a function. */
function made(entryPoint: object, name: string): Callable {
  const exported = Reflect.get(entryPoint, name) as Callable & (new (...given: unknown[]) => object);
  return (...given) => (/^class\b/.test(String(exported)) ? new exported(...given) : exported(...given));
}

/** Calls a method of `on`. */
function method<On extends object>(on: On, name: keyof On & string): Callable {
  return (...given) => (Reflect.get(on, name) as Callable).apply(on, given);
}

/** Right arguments, of which one after the other is replaced by a wrong one. */
const CALLS: Readonly<Record<string, readonly [call: Callable, ...right: unknown[]]>> = {
  BitLayout: [made(core, 'BitLayout'), {}, 0],
  'BitLayout.compose': [method(layout, 'compose'), { tick: 1, workerId: 1, sequence: 1 }],
  'BitLayout.field': [method(layout, 'field'), 'worker'],
  'BitLayout.tickAt': [method(layout, 'tickAt'), 0],
  'BitLayout.assertUsableAt': [method(layout, 'assertUsableAt'), Date.now()],
  visible: [made(core, 'visible')],
  IdDecoder: [made(core, 'IdDecoder'), layout],
  'IdDecoder.decode': [method(decoder, 'decode'), '1'],
  'IdDecoder.firstIdAt': [method(decoder, 'firstIdAt'), clock.now()],
  'IdDecoder.lastIdAt': [method(decoder, 'lastIdAt'), clock.now()],
  'IdDecoder.idRange': [method(decoder, 'idRange'), 0, clock.now()],
  IdGenerator: [made(core, 'IdGenerator'), layout, clock, {}, Math.random],
  'IdGenerator.nextBigInts': [method(generator, 'nextBigInts'), 0],
  'IdGenerator.nextIds': [method(generator, 'nextIds'), 0],
  'IdGenerator.fillBigInts': [method(generator, 'fillBigInts'), new BigUint64Array(0)],
  'IdGenerator.adopt': [
    method(generator, 'adopt'),
    { workerId: 1, fromMs: 0, untilMs: 1, clockTimeUntilMs: 1 },
  ],
  'IdGenerator.extend': [method(generator, 'extend'), 1, 1],
  'IdGenerator.correctClock': [method(generator, 'correctClock'), 0],
  'IdGenerator.subscribeToRollbacks': [method(generator, 'subscribeToRollbacks'), () => undefined],
  layoutPreset: [made(core, 'layoutPreset'), 'twitter'],
  suggestLayout: [made(core, 'suggestLayout'), { years: 50, workers: 9, idsPerSecondPerWorker: 9 }],
  bytesCodec: [made(codecs, 'bytesCodec')],
  decimalCodec: [made(codecs, 'decimalCodec')],
  hexCodec: [made(codecs, 'hexCodec')],
  sortableDecimalCodec: [made(codecs, 'sortableDecimalCodec')],
  base32Codec: [made(codecs, 'base32Codec'), {}],
  base36Codec: [made(codecs, 'base36Codec'), {}],
  base62Codec: [made(codecs, 'base62Codec'), {}],
  prefixedCodec: [made(codecs, 'prefixedCodec'), 'ord', codecs.base62Codec()],
  readableCodec: [made(codecs, 'readableCodec'), layout],
  'IdCodec.encode': [method(codecs.base62Codec(), 'encode'), '1'],
  'IdCodec.decode': [method(codecs.base62Codec(), 'decode'), '00000000001'],
  'IdCodec.decodeBigInt': [method(codecs.bytesCodec(), 'decodeBigInt'), new Uint8Array(8)],
  obfuscatingCodec: [
    made(obfuscation, 'obfuscatingCodec'),
    { keys: { 1: '2b7e151628aed2a6'.repeat(4) }, current: 1 },
  ],
  etcdLeaseStore: [made(etcd, 'etcdLeaseStore'), { url: 'http://127.0.0.1:1', namespace: 'shop' }],
  zookeeperLeaseStore: [
    made(zookeeper, 'zookeeperLeaseStore'),
    { connectString: '127.0.0.1:1', namespace: 'shop' },
  ],
  redisLeaseStore: [made(redis, 'redisLeaseStore'), { url: 'redis://127.0.0.1:1', namespace: 'shop' }],
  remoteLeaseStore: [made(remote, 'remoteLeaseStore'), { url: 'http://127.0.0.1:1', namespace: 'shop' }],
  remoteSegmentStore: [
    made(remoteSegments, 'remoteSegmentStore'),
    { url: 'http://127.0.0.1:1', namespace: 'shop' },
  ],
  bearerTokens: [made(service, 'bearerTokens'), [{ token: 'sixteen-characters', scopes: ['ids'] }]],
  'SnowflakeServiceModule.forRoot': [
    method(service.SnowflakeServiceModule, 'forRoot'),
    { authorize: () => true },
  ],
  'SnowflakeServiceModule.forRootAsync': [
    method(service.SnowflakeServiceModule, 'forRootAsync'),
    { useFactory: () => ({ authorize: () => true }) },
  ],
  snowflakeGrpc: [made(serviceGrpc, 'snowflakeGrpc'), { url: '127.0.0.1:1' }],
  sqlLeaseStore: [made(sql, 'sqlLeaseStore'), { dataSource: { type: 'postgres' }, namespace: 'shop' }],
  CreateSnowflakeLeaseTables1767225600000: [made(typeorm, 'CreateSnowflakeLeaseTables1767225600000')],
  environmentLeaseStore: [made(standalone, 'environmentLeaseStore'), { env: { SNOWFLAKE_WORKER_ID: '1' } }],
  kubernetesLeaseStore: [made(standalone, 'kubernetesLeaseStore'), {}],
  staticLeaseStore: [made(standalone, 'staticLeaseStore'), { workerId: 1 }],
  'staticLeaseStore, its clock': [
    (given) => standalone.staticLeaseStore({ workerId: 1, clock: given as never }),
    clock,
  ],
  memoryLeaseStore: [made(standalone, 'memoryLeaseStore'), {}],
  'memoryLeaseStore, its clock': [(given) => standalone.memoryLeaseStore({ clock: given as never }), clock],
  withLocalWindow: [made(standalone, 'withLocalWindow'), standalone.memoryLeaseStore(), { file: '/tmp/w' }],
  MemoryRegistry: [made(storePort, 'MemoryRegistry')],
  registryOverview: [made(storePort, 'registryOverview'), { storeNowMs: 0, rows: [] }],
  LateIdMaker: [(given) => new standalone.LateIdMaker().bind(given as never), testing.fakeIdMaker()],
  snowflakeType: [made(drizzle, 'snowflakeType'), 'pg'],
  snowflakeProperties: [made(mikroOrm, 'snowflakeProperties'), mikroOrmCore, testing.fakeIdMaker()],
  verifySnowflakeOrm: [made(mikroOrm, 'verifySnowflakeOrm'), { getMetadata: () => [], em: {} }],
  snowflakeIds: [made(prisma, 'snowflakeIds'), testing.fakeIdMaker(), { provider: 'sqlite', models: {} }],
  'snowflakeIds, its client': [
    prisma.snowflakeIds(testing.fakeIdMaker(), { provider: 'sqlite', models: {} }) as Callable,
    undefined,
  ],
  verifySnowflakePrisma: [made(prisma, 'verifySnowflakePrisma'), undefined],
  SnowflakeIdMaker: [made(standalone, 'SnowflakeIdMaker'), { store }, { clock }],
  'SnowflakeIdMaker, its store': [
    (given) => new standalone.SnowflakeIdMaker({ store: given as never }),
    store,
  ],
  'SnowflakeIdMaker.nextIds': [method(ids, 'nextIds'), 0],
  'SnowflakeIdMaker.nextBigInts': [method(ids, 'nextBigInts'), 0],
  'SnowflakeIdMaker.fillBigInts': [method(ids, 'fillBigInts'), new BigUint64Array(0)],
  'SnowflakeIdMaker.decode': [method(ids, 'decode'), '1'],
  'SnowflakeIdMaker.firstIdAt': [method(ids, 'firstIdAt'), 0],
  'SnowflakeIdMaker.idRange': [method(ids, 'idRange'), 0, 1],
  'SnowflakeIdMaker.subscribe': [method(ids, 'subscribe'), () => undefined],
  'SnowflakeModule.forRoot': [method(nest.SnowflakeModule, 'forRoot'), { store }],
  'SnowflakeModule.forRootAsync': [
    method(nest.SnowflakeModule, 'forRootAsync'),
    { useFactory: () => ({ store }) },
  ],
  idMakersIn: [made(nest, 'idMakersIn'), new ModulesContainer()],
  getSnowflakeToken: [made(nest, 'getSnowflakeToken'), 'audit'],
  InjectSnowflake: [made(nest, 'InjectSnowflake'), 'audit'],
  fakeIdMaker: [made(testing, 'fakeIdMaker'), {}],
  'fakeIdMaker, its start': [(given) => testing.fakeIdMaker({ start: given as never }), 1],
  'fakeIdMaker, its test file': [(given) => testing.fakeIdMaker({ testFile: given as never }), 'orders'],
  'SnowflakeTestingModule.forRoot': [method(testing.SnowflakeTestingModule, 'forRoot'), { start: 2 }],
  leaseStoreContract: [made(storeTesting, 'leaseStoreContract'), () => undefined, { describe() {}, it() {} }],
  fixedStoreContract: [made(storeTesting, 'fixedStoreContract'), () => undefined, { describe() {}, it() {} }],
  segmentStoreContract: [
    made(segmentStoreTesting, 'segmentStoreContract'),
    () => undefined,
    { describe() {}, it() {} },
  ],
  memorySegmentStore: [made(segments, 'memorySegmentStore')],
  sqlSegmentStore: [made(segments, 'sqlSegmentStore'), { dataSource: { type: 'postgres' } }],
  CreateSnowflakeSegmentTables1767225600002: [made(segments, 'CreateSnowflakeSegmentTables1767225600002')],
  Segments: [made(segments, 'Segments'), { store: segmentStore }, { clock }],
  'Segments.source': [method(tags, 'source'), 'order'],
  'Segments.create': [method(tags, 'create'), { tag: 'order' }],
  'Segments.resume': [method(tags, 'resume'), { order: 1 }],
  'Segments.subscribe': [method(tags, 'subscribe'), () => undefined],
  'SegmentSource.nextMany': [method(tags.source('x'), 'nextMany'), 0],
  'SegmentModule.forRoot': [method(segments.SegmentModule, 'forRoot'), { store: segmentStore }],
  'SegmentModule.forRootAsync': [
    method(segments.SegmentModule, 'forRootAsync'),
    { useFactory: () => ({ store: segmentStore }) },
  ],
  getSegmentToken: [made(segments, 'getSegmentToken'), 'order'],
  InjectSegment: [made(segments, 'InjectSegment'), 'order'],
  SegmentId: [made(typeorm, 'SegmentId'), 'order', {}],
  SnowflakeId: [made(typeorm, 'SnowflakeId'), {}],
  SnowflakeColumn: [made(typeorm, 'SnowflakeColumn'), {}],
  snowflakeIdColumn: [made(typeorm, 'snowflakeIdColumn'), {}],
  snowflakeColumn: [made(typeorm, 'snowflakeColumn'), {}],
  snowflakeSchema: [made(typeorm, 'snowflakeSchema'), undefined],
  snowflakeSubscriber: [made(typeorm, 'snowflakeSubscriber'), ids],
  SnowflakeSubscriber: [made(typeorm, 'SnowflakeSubscriber'), ids],
  attachSnowflake: [made(typeorm, 'attachSnowflake'), undefined, ids],
  verifySnowflakeDataSource: [made(typeorm, 'verifySnowflakeDataSource'), undefined, new Set()],
  createdBetween: [made(typeorm, 'createdBetween'), decoder, 0, 1],
  prepareDatabase: [made(typeorm, 'prepareDatabase'), undefined],
};

const ENTRY_POINTS = {
  nest,
  codecs,
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
  storeTesting,
  testing,
  typeorm,
  zookeeper,
};

/** What a call with wrong arguments throws, unless it is a typed error. */
async function faultOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    const isTyped = error instanceof core.SnowflakeError && error.code.startsWith('SNOWFLAKE_');
    return isTyped ? undefined : error;
  }
}

describe('a wrong argument', () => {
  const names = Object.keys(CALLS);

  it.each(names)('refuses wrong arguments of %s with a typed error', async (name) => {
    const [call, ...right] = CALLS[name] ?? [() => undefined];
    const faults: unknown[] = [];
    for (const [at] of right.entries()) {
      for (const wrong of HOSTILE) {
        const given = right.with(at, wrong);
        const fault = await faultOf(() => call(...given));
        if (fault !== undefined) faults.push({ at, wrong, fault });
      }
    }
    expect(faults).toEqual([]);
  });

  it('tries everything that an entry point exports, except errors and constants', () => {
    const callables = Object.values(ENTRY_POINTS)
      .flatMap((entryPoint) => Object.entries(entryPoint))
      .filter(([name, value]) => typeof value === 'function' && !name.endsWith('Error'))
      .map(([name]) => name)
      // Their static methods are called, and Nest makes their instances; only Segments makes a source.
      .filter((name) => !/^(Snowflake(Testing|Service)?Module|SegmentModule|SegmentSource)$/.test(name));
    expect([...new Set(callables)].filter((name) => !(name in CALLS))).toEqual([]);
  });

  it('finds an untyped error of a wrong argument (control)', async () => {
    const careless = (given: unknown): unknown => (given as core.BitLayout).field('worker');
    expect(await faultOf(() => careless({}))).toBeInstanceOf(TypeError);
  });
});
