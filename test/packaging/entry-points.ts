/** One entry point of the package, and a use of it. */
export interface EntryPointUse {
  readonly entryPoint: string;
  /** Whether only the packages of this project use it, so that no page names it. */
  readonly isInternal?: true;
  /** Whether it exports types alone. */
  readonly hasNoCode?: true;
  /** The packages that a user of this entry point must install besides the library. */
  readonly peers: readonly string[];
  /** Body of an async function with the exports as `entryPoint`, in JavaScript that is also strict TypeScript. */
  readonly use: string;
  /** What the body returns, as JSON. */
  readonly gives: unknown;
}

/** Every entry point of the package. The packaging test uses each from ESM, from CommonJS and from TypeScript. */
export const ENTRY_POINTS: readonly EntryPointUse[] = [
  {
    entryPoint: 'nestjs-snowflake',
    peers: ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'],
    use: `
      const { NestFactory } = await import('@nestjs/core');
      const root = entryPoint.SnowflakeModule.forRoot({ store: entryPoint.staticLeaseStore({ workerId: 17 }) });
      const app = await NestFactory.createApplicationContext(root, { logger: false });
      const ids = app.get(entryPoint.SnowflakeIdMaker);
      const id = ids.nextId();
      await app.close();
      return [typeof id, ids.decode(id).workerId];`,
    gives: ['string', 17],
  },
  {
    entryPoint: 'nestjs-snowflake/standalone',
    peers: [],
    use: `
      const ids = new entryPoint.SnowflakeIdMaker({ store: entryPoint.staticLeaseStore({ workerId: 17 }) });
      await ids.start();
      const id = ids.nextId();
      await ids.stop();
      return [typeof id, ids.decode(id).workerId];`,
    gives: ['string', 17],
  },
  {
    entryPoint: 'nestjs-snowflake/core',
    peers: [],
    use: `
      const { layout, epoch } = entryPoint.layoutPreset('discord');
      const decoder = new entryPoint.IdDecoder(new entryPoint.BitLayout(layout, epoch));
      return decoder.decode('175928847299117063').timestamp;`,
    gives: '2016-04-30T11:18:25.796Z',
  },
  {
    entryPoint: 'nestjs-snowflake/kit',
    isInternal: true,
    peers: [],
    use: `
      return [typeof entryPoint.requireOptions, typeof entryPoint.LEASE_TABLES];`,
    gives: ['function', 'object'],
  },
  {
    entryPoint: 'nestjs-snowflake/kit-nest',
    isInternal: true,
    peers: ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'],
    use: `
      await import('reflect-metadata');
      return [typeof entryPoint.featureModule, typeof entryPoint.Boot];`,
    gives: ['function', 'function'],
  },
  {
    entryPoint: 'nestjs-snowflake/kit-redis',
    isInternal: true,
    peers: ['ioredis'],
    use: `
      return typeof entryPoint.connectionProfile;`,
    gives: 'function',
  },
  {
    entryPoint: 'nestjs-snowflake/kit-remote',
    isInternal: true,
    peers: [],
    use: `
      return typeof entryPoint.ServiceCalls;`,
    gives: 'function',
  },
  {
    entryPoint: 'nestjs-snowflake/kit-sql',
    isInternal: true,
    peers: [],
    use: `
      return [typeof entryPoint.SqlSession, typeof entryPoint.defineTables];`,
    gives: ['function', 'function'],
  },
  {
    entryPoint: 'nestjs-snowflake/kit-typeorm',
    isInternal: true,
    peers: ['typeorm'],
    use: `
      return typeof entryPoint.findSnowflakeColumns;`,
    gives: 'function',
  },
  {
    entryPoint: 'nestjs-snowflake/redis',
    peers: ['ioredis'],
    use: `
      const store = entryPoint.redisLeaseStore({ url: 'redis://127.0.0.1:1', namespace: 'shop' });
      return store.renewable;`,
    gives: true,
  },
  {
    entryPoint: 'nestjs-snowflake/sql',
    peers: [],
    use: `
      const store = entryPoint.sqlLeaseStore({ url: 'postgres://127.0.0.1:1/shop', namespace: 'shop' });
      return store.renewable;`,
    gives: true,
  },
  {
    entryPoint: 'nestjs-snowflake/typeorm',
    peers: ['typeorm'],
    use: `
      const { getMetadataArgsStorage } = await import('typeorm');
      class Order {}
      entryPoint.SnowflakeId()(Order.prototype, 'id');
      const [column] = getMetadataArgsStorage().columns.filter(({ target }) => target === Order);
      return [column?.propertyName, column?.options.type, column?.options.primary];`,
    gives: ['id', 'bigint', true],
  },
  {
    entryPoint: 'nestjs-snowflake/codecs',
    peers: [],
    use: `
      const codec = entryPoint.prefixedCodec('ord', entryPoint.base62Codec());
      return [codec.encode('382475217496248322'), codec.decode('ord_0SFjugjHF10')];`,
    gives: ['ord_0SFjugjHF10', '382475217496248322'],
  },
  {
    entryPoint: 'nestjs-snowflake/obfuscation',
    peers: ['@noble/ciphers'],
    use: `
      const key = '2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94';
      const codec = entryPoint.obfuscatingCodec({ keys: { 1: key }, current: 1 });
      const text = codec.encode('382475217496248322');
      return [text.length, codec.decode(text)];`,
    gives: [12, '382475217496248322'],
  },
  {
    entryPoint: 'nestjs-snowflake/http',
    peers: ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'],
    use: `
      await import('reflect-metadata');
      const pipe = new entryPoint.ParseSnowflakeIdPipe({ array: true });
      const schema = entryPoint.snowflakeIdSchema();
      return [pipe.transform('1,2', { type: 'query', data: 'ids' }), schema['~standard'].validate('1')];`,
    gives: [['1', '2'], { value: '1' }],
  },
  {
    entryPoint: 'nestjs-snowflake/validation',
    peers: ['class-transformer', 'class-validator'],
    use: `
      const { validateSync } = await import('class-validator');
      class Order { customerId = 'x'; }
      entryPoint.IsSnowflakeId()(Order.prototype, 'customerId');
      return validateSync(new Order()).length;`,
    gives: 1,
  },
  {
    entryPoint: 'nestjs-snowflake/drizzle',
    peers: [],
    use: `
      const column = entryPoint.snowflakeType('pg');
      return [column.dataType(), column.fromDriver(5n)];`,
    gives: ['bigint', '5'],
  },
  {
    entryPoint: 'nestjs-snowflake/mikro-orm',
    peers: [],
    use: `
      class BigIntType {
        convertToDatabaseValue() { return ''; }
        convertToJSValue() { return ''; }
      }
      class Utils {
        static getORMVersion() { return '7.2.1'; }
      }
      const core = { BigIntType, Utils };
      const { snowflakeKey } = entryPoint.snowflakeProperties(core, { nextId: () => '7' });
      const key = snowflakeKey();
      return [key.onCreate(), key.autoincrement, key.type.convertToJSValue(5n)];`,
    gives: ['7', false, '5'],
  },
  {
    entryPoint: 'nestjs-snowflake/prisma',
    peers: [],
    use: `
      const models = { provider: 'sqlite', models: {} };
      const extension = entryPoint.snowflakeIds({ nextBigInt: () => 1n }, models);
      return typeof extension;`,
    gives: 'function',
  },
  {
    entryPoint: 'nestjs-snowflake/etcd',
    peers: [],
    use: `
      return entryPoint.etcdLeaseStore({ url: 'http://127.0.0.1:2379', namespace: 'shop' }).description;`,
    gives: 'etcd namespace "shop"',
  },
  {
    entryPoint: 'nestjs-snowflake/zookeeper',
    peers: [],
    use: `
      return entryPoint.zookeeperLeaseStore({ connectString: '127.0.0.1:2181', namespace: 'shop' }).description;`,
    gives: 'zookeeper namespace "shop"',
  },
  {
    entryPoint: 'nestjs-snowflake/remote',
    peers: [],
    use: `
      return entryPoint.remoteLeaseStore({ url: 'http://127.0.0.1', namespace: 'shop' }).description;`,
    gives: 'remote namespace "shop"',
  },
  {
    entryPoint: 'nestjs-snowflake/swagger',
    peers: ['@nestjs/common', '@nestjs/core', '@nestjs/swagger', 'reflect-metadata', 'rxjs'],
    use: `
      await import('reflect-metadata');
      class Order {}
      entryPoint.ApiSnowflakeId()(Order.prototype, 'id');
      return entryPoint.SNOWFLAKE_ID_SCHEMA.type;`,
    gives: 'string',
  },
  {
    entryPoint: 'nestjs-snowflake/graphql',
    peers: ['graphql'],
    use: `
      const { graphql, GraphQLObjectType, GraphQLSchema } = await import('graphql');
      const fields = { id: { type: entryPoint.SnowflakeID, resolve: () => 382475217496248322n } };
      const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) });
      const { data } = await graphql({ schema, source: '{ id }' });
      return data?.['id'];`,
    gives: '382475217496248322',
  },
  {
    entryPoint: 'nestjs-snowflake/terminus',
    peers: ['@nestjs/common', '@nestjs/core', '@nestjs/terminus', 'reflect-metadata', 'rxjs'],
    use: `
      return typeof entryPoint.SnowflakeHealthIndicator;`,
    gives: 'function',
  },
  {
    entryPoint: 'nestjs-snowflake/opentelemetry',
    peers: ['@nestjs/common', '@nestjs/core', '@opentelemetry/api', 'reflect-metadata', 'rxjs'],
    use: `
      const { SnowflakeIdMaker, staticLeaseStore } = await import('nestjs-snowflake/standalone');
      const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 17 }) });
      const end = entryPoint.observeSnowflakeMetrics(ids);
      end();
      return typeof entryPoint.SnowflakeOpenTelemetryModule;`,
    gives: 'function',
  },
  {
    entryPoint: 'nestjs-snowflake/prometheus',
    peers: ['@nestjs/common', '@nestjs/core', 'prom-client', 'reflect-metadata', 'rxjs'],
    use: `
      const { Registry } = await import('prom-client');
      const { SnowflakeIdMaker, staticLeaseStore } = await import('nestjs-snowflake/standalone');
      const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 17 }) });
      await ids.start();
      const registry = new Registry();
      entryPoint.collectSnowflakeMetrics(ids, { registry });
      const text = await registry.metrics();
      await ids.stop();
      return [text.includes('snowflake_worker_id{snowflake_instance="default"} 17'), registry.getMetricsAsArray()];`,
    gives: [true, []],
  },
  {
    entryPoint: 'nestjs-snowflake/testing',
    peers: ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'],
    use: `
      const { NestFactory } = await import('@nestjs/core');
      const ids = entryPoint.fakeIdMaker({ start: 5 });
      const root = entryPoint.SnowflakeTestingModule.forRoot({ start: 1001 });
      const app = await NestFactory.createApplicationContext(root, { logger: false });
      // Its class is that of the same build, CommonJS or ES modules.
      const injected = app.get(Object.getPrototypeOf(ids.constructor));
      await app.close();
      return [injected.nextId(), ids.nextId()];`,
    gives: ['1001', '5'],
  },
  {
    entryPoint: 'nestjs-snowflake/store',
    peers: [],
    use: `
      return new entryPoint.StoreUnavailableError('The store is down').retryable;`,
    gives: true,
  },
  {
    entryPoint: 'nestjs-snowflake/store-testing',
    peers: [],
    use: `
      let suites = 0;
      const framework = { describe: () => void suites++, it: () => undefined };
      entryPoint.leaseStoreContract(() => Promise.reject(new Error('not called')), framework);
      return suites > 1;`,
    gives: true,
  },
  {
    entryPoint: 'nestjs-snowflake-segments',
    peers: ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'],
    use: `
      await import('reflect-metadata');
      const segments = new entryPoint.Segments({ store: entryPoint.memorySegmentStore(), tags: ['order'] });
      await segments.start();
      const numbers = segments.source('order').nextMany(2);
      await segments.stop();
      return numbers;`,
    gives: [1, 2],
  },
  {
    entryPoint: 'nestjs-snowflake-segments/remote',
    peers: [],
    use: `
      return entryPoint.remoteSegmentStore({ url: 'http://127.0.0.1', namespace: 'shop' }).description;`,
    gives: 'remote namespace "shop"',
  },
  {
    entryPoint: 'nestjs-snowflake-segments/store',
    hasNoCode: true,
    peers: [],
    use: `
      return Object.keys(entryPoint).filter((name) => name !== '__esModule');`,
    gives: [],
  },
  {
    entryPoint: 'nestjs-snowflake-segments/store-testing',
    peers: [],
    use: `
      let suites = 0;
      const framework = { describe: () => void suites++, it: () => undefined };
      entryPoint.segmentStoreContract(() => Promise.reject(new Error('not called')), framework);
      return suites > 1;`,
    gives: true,
  },
  {
    entryPoint: 'nestjs-snowflake-segments/tables',
    isInternal: true,
    peers: [],
    use: `
      return entryPoint.SEGMENT_TABLES.use.holds;`,
    gives: 'segments',
  },
  {
    entryPoint: 'nestjs-snowflake-series',
    peers: ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs', 'typeorm'],
    use: `
      await import('reflect-metadata');
      const { getMetadataArgsStorage } = await import('typeorm');
      class Invoice {}
      entryPoint.SeriesNumber({
        series: 'invoice', format: 'INV-{year}-{number:5}', resets: 'year', zone: 'Europe/Berlin',
      })(Invoice.prototype, 'number');
      const [column] = getMetadataArgsStorage().columns.filter(({ target }) => target === Invoice);
      return [column?.propertyName, column?.options.type, typeof new entryPoint.Series().next];`,
    gives: ['number', 'varchar', 'function'],
  },
  {
    entryPoint: 'nestjs-snowflake-series/tables',
    isInternal: true,
    peers: [],
    use: `
      return entryPoint.SERIES_TABLES.use.holds;`,
    gives: 'series',
  },
  {
    entryPoint: 'nestjs-snowflake-service',
    peers: ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'],
    use: `
      await import('reflect-metadata');
      const authorize = entryPoint.bearerTokens([{ token: 'sixteen-characters', scopes: ['ids'] }]);
      const { controllers } = entryPoint.SnowflakeServiceModule.forRoot({ authorize });
      return [controllers?.length, authorize({ scope: 'ids', name: 'default', token: 'sixteen-characters', request: {} })];`,
    gives: [4, true],
  },
  {
    entryPoint: 'nestjs-snowflake-service/grpc',
    peers: [
      '@grpc/grpc-js',
      '@grpc/proto-loader',
      '@nestjs/common',
      '@nestjs/core',
      '@nestjs/microservices',
      'reflect-metadata',
      'rxjs',
    ],
    use: `
      await import('reflect-metadata');
      const { loadSync } = await import('@grpc/proto-loader');
      const { useFactory } = entryPoint.snowflakeGrpc({ url: '127.0.0.1:1' });
      const Served = Object(entryPoint.grpcTransport.providers.at(-1));
      const providers = new Map([[Served, { instance: Object.create(Served.prototype) }]]);
      const { options } = Object(useFactory(new Map([['service', { providers }]])));
      return Object.keys(loadSync(options.protoPath, options.loader)).includes('snowflake.v1.IdService');`,
    gives: true,
  },
];
