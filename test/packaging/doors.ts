/** One entry point of the package, and a use of it. */
export interface Door {
  readonly door: string;
  /** Whether only the packages of this project use it, so that no page names it. */
  readonly isInternal?: true;
  /** All that a user of this door must have installed besides the library. */
  readonly peers: readonly string[];
  /** Body of an async function that knows the door's exports as `door`; JavaScript that is strict TypeScript too. */
  readonly use: string;
  /** What the body returns, as JSON. */
  readonly gives: unknown;
}

/** Every door of the package. The packaging test uses each from ESM, from CommonJS and from TypeScript. */
export const DOORS: readonly Door[] = [
  {
    door: 'nestjs-snowflake',
    peers: ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'],
    use: `
      const { NestFactory } = await import('@nestjs/core');
      const root = door.SnowflakeModule.forRoot({ store: door.staticLeaseStore({ workerId: 17 }) });
      const app = await NestFactory.createApplicationContext(root, { logger: false });
      const ids = app.get(door.SnowflakeIdMaker);
      const id = ids.nextId();
      await app.close();
      return [typeof id, ids.decode(id).workerId];`,
    gives: ['string', 17],
  },
  {
    door: 'nestjs-snowflake/standalone',
    peers: [],
    use: `
      const ids = new door.SnowflakeIdMaker({ store: door.staticLeaseStore({ workerId: 17 }) });
      await ids.start();
      const id = ids.nextId();
      await ids.stop();
      return [typeof id, ids.decode(id).workerId];`,
    gives: ['string', 17],
  },
  {
    door: 'nestjs-snowflake/core',
    peers: [],
    use: `
      const { layout, epoch } = door.layoutPreset('discord');
      const decoder = new door.IdDecoder(new door.BitLayout(layout, epoch));
      return decoder.decode('175928847299117063').timestamp;`,
    gives: '2016-04-30T11:18:25.796Z',
  },
  {
    door: 'nestjs-snowflake/kit',
    isInternal: true,
    peers: [],
    use: `
      return [typeof door.requireOptions, typeof door.SqlSession];`,
    gives: ['function', 'function'],
  },
  {
    door: 'nestjs-snowflake/kit-nest',
    isInternal: true,
    peers: ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'],
    use: `
      await import('reflect-metadata');
      return [typeof door.featureModule, typeof door.Boot];`,
    gives: ['function', 'function'],
  },
  {
    door: 'nestjs-snowflake/kit-redis',
    isInternal: true,
    peers: ['ioredis'],
    use: `
      return typeof door.connectionProfile;`,
    gives: 'function',
  },
  {
    door: 'nestjs-snowflake/kit-typeorm',
    isInternal: true,
    peers: ['typeorm'],
    use: `
      return typeof door.findSnowflakeColumns;`,
    gives: 'function',
  },
  {
    door: 'nestjs-snowflake/redis',
    peers: ['ioredis'],
    use: `
      const store = door.redisLeaseStore({ url: 'redis://127.0.0.1:1', namespace: 'shop' });
      return store.renewable;`,
    gives: true,
  },
  {
    door: 'nestjs-snowflake/sql',
    peers: [],
    use: `
      const store = door.sqlLeaseStore({ url: 'postgres://127.0.0.1:1/shop', namespace: 'shop' });
      return store.renewable;`,
    gives: true,
  },
  {
    door: 'nestjs-snowflake/typeorm',
    peers: ['typeorm'],
    use: `
      const { getMetadataArgsStorage } = await import('typeorm');
      class Order {}
      door.SnowflakeId()(Order.prototype, 'id');
      const [column] = getMetadataArgsStorage().columns.filter(({ target }) => target === Order);
      return [column?.propertyName, column?.options.type, column?.options.primary];`,
    gives: ['id', 'bigint', true],
  },
  {
    door: 'nestjs-snowflake/codecs',
    peers: [],
    use: `
      const codec = door.prefixedCodec('ord', door.base62Codec());
      return [codec.encode('382475217496248322'), codec.decode('ord_0SFjugjHF10')];`,
    gives: ['ord_0SFjugjHF10', '382475217496248322'],
  },
  {
    door: 'nestjs-snowflake/obfuscation',
    peers: ['@noble/ciphers'],
    use: `
      const key = '2b7e151628aed2a6abf7158809cf4f3cef4359d8d580aa4f7f036d6f04fc6a94';
      const codec = door.obfuscatingCodec({ keys: { 1: key }, current: 1 });
      const text = codec.encode('382475217496248322');
      return [text.length, codec.decode(text)];`,
    gives: [12, '382475217496248322'],
  },
  {
    door: 'nestjs-snowflake/http',
    peers: ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'],
    use: `
      await import('reflect-metadata');
      const pipe = new door.ParseSnowflakeIdPipe({ array: true });
      const schema = door.snowflakeIdSchema();
      return [pipe.transform('1,2', { type: 'query', data: 'ids' }), schema['~standard'].validate('1')];`,
    gives: [['1', '2'], { value: '1' }],
  },
  {
    door: 'nestjs-snowflake/validation',
    peers: ['class-transformer', 'class-validator'],
    use: `
      const { validateSync } = await import('class-validator');
      class Order { customerId = 'x'; }
      door.IsSnowflakeId()(Order.prototype, 'customerId');
      return validateSync(new Order()).length;`,
    gives: 1,
  },
  {
    door: 'nestjs-snowflake/series',
    peers: ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs', 'typeorm'],
    use: `
      await import('reflect-metadata');
      const { getMetadataArgsStorage } = await import('typeorm');
      class Invoice {}
      door.SeriesNumber({
        series: 'invoice', format: 'INV-{year}-{number:5}', resets: 'year', zone: 'Europe/Berlin',
      })(Invoice.prototype, 'number');
      const [column] = getMetadataArgsStorage().columns.filter(({ target }) => target === Invoice);
      return [column?.propertyName, column?.options.type, typeof new door.Series().next];`,
    gives: ['number', 'varchar', 'function'],
  },
  {
    door: 'nestjs-snowflake/swagger',
    peers: ['@nestjs/common', '@nestjs/core', '@nestjs/swagger', 'reflect-metadata', 'rxjs'],
    use: `
      await import('reflect-metadata');
      class Order {}
      door.ApiSnowflakeId()(Order.prototype, 'id');
      return door.SNOWFLAKE_ID_SCHEMA.type;`,
    gives: 'string',
  },
  {
    door: 'nestjs-snowflake/graphql',
    peers: ['graphql'],
    use: `
      const { graphql, GraphQLObjectType, GraphQLSchema } = await import('graphql');
      const fields = { id: { type: door.SnowflakeID, resolve: () => 382475217496248322n } };
      const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) });
      const { data } = await graphql({ schema, source: '{ id }' });
      return data?.['id'];`,
    gives: '382475217496248322',
  },
  {
    door: 'nestjs-snowflake/terminus',
    peers: ['@nestjs/common', '@nestjs/core', '@nestjs/terminus', 'reflect-metadata', 'rxjs'],
    use: `
      return typeof door.SnowflakeHealthIndicator;`,
    gives: 'function',
  },
  {
    door: 'nestjs-snowflake/opentelemetry',
    peers: ['@nestjs/common', '@nestjs/core', '@opentelemetry/api', 'reflect-metadata', 'rxjs'],
    use: `
      const { SnowflakeIdMaker, staticLeaseStore } = await import('nestjs-snowflake/standalone');
      const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 17 }) });
      const end = door.observeSnowflakeMetrics(ids);
      end();
      return typeof door.SnowflakeOpenTelemetryModule;`,
    gives: 'function',
  },
  {
    door: 'nestjs-snowflake/prometheus',
    peers: ['@nestjs/common', '@nestjs/core', 'prom-client', 'reflect-metadata', 'rxjs'],
    use: `
      const { Registry } = await import('prom-client');
      const { SnowflakeIdMaker, staticLeaseStore } = await import('nestjs-snowflake/standalone');
      const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 17 }) });
      await ids.start();
      const registry = new Registry();
      door.collectSnowflakeMetrics(ids, { registry });
      const text = await registry.metrics();
      await ids.stop();
      return [text.includes('snowflake_worker_id{snowflake_instance="default"} 17'), registry.getMetricsAsArray()];`,
    gives: [true, []],
  },
  {
    door: 'nestjs-snowflake/segments',
    peers: ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'],
    use: `
      await import('reflect-metadata');
      const segments = new door.Segments({ store: door.memorySegmentStore(), tags: ['order'] });
      await segments.start();
      const numbers = segments.source('order').nextMany(2);
      await segments.stop();
      return numbers;`,
    gives: [1, 2],
  },
  {
    door: 'nestjs-snowflake/testing',
    peers: ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'],
    use: `
      const { NestFactory } = await import('@nestjs/core');
      const ids = door.fakeIdMaker({ start: 5 });
      const root = door.SnowflakeTestingModule.forRoot({ start: 1001 });
      const app = await NestFactory.createApplicationContext(root, { logger: false });
      // Its class is that of the same build, CommonJS or ES modules.
      const injected = app.get(Object.getPrototypeOf(ids.constructor));
      await app.close();
      return [injected.nextId(), ids.nextId()];`,
    gives: ['1001', '5'],
  },
  {
    door: 'nestjs-snowflake/store-testing',
    peers: [],
    use: `
      let suites = 0;
      const framework = { describe: () => void suites++, it: () => undefined };
      door.leaseStoreContract(() => Promise.reject(new Error('not called')), framework);
      return suites > 1;`,
    gives: true,
  },
];
