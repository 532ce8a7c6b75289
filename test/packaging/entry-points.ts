/** An entry point of a package, as users import it. */
export interface EntryPoint {
  readonly entryPoint: string;
  /** The packages that a user of this entry point must install besides ours. */
  readonly peers: readonly string[];
  /** What it does with files or packages that it finds only when it is used: the body of an async function, in JavaScript. */
  readonly use?: string;
}

const NEST = ['@nestjs/common', '@nestjs/core', 'reflect-metadata', 'rxjs'];

/** Every entry point. `test/lab/long/packaging` loads each of them with nothing but its peers. */
export const ENTRY_POINTS: readonly EntryPoint[] = [
  {
    entryPoint: 'nestjs-snowflake',
    peers: NEST,
    use: `
      const { NestFactory } = await import('@nestjs/core');
      const root = entryPoint.SnowflakeModule.forRoot({ store: entryPoint.staticLeaseStore({ workerId: 17 }) });
      const app = await NestFactory.createApplicationContext(root, { logger: false });
      const { workerId } = app.get(entryPoint.SnowflakeIdMaker).status();
      await app.close();
      return workerId === 17;`,
  },
  {
    entryPoint: 'nestjs-snowflake/standalone',
    peers: [],
    use: `
      const ids = new entryPoint.SnowflakeIdMaker({ store: entryPoint.staticLeaseStore({ workerId: 17 }) });
      await ids.start();
      const { workerId } = ids.decode(ids.nextId());
      await ids.stop();
      return workerId === 17;`,
  },
  { entryPoint: 'nestjs-snowflake/core', peers: [] },
  { entryPoint: 'nestjs-snowflake/redis', peers: ['ioredis'] },
  { entryPoint: 'nestjs-snowflake/sql', peers: [] },
  { entryPoint: 'nestjs-snowflake/typeorm', peers: ['typeorm'] },
  { entryPoint: 'nestjs-snowflake/obfuscation', peers: ['@noble/ciphers'] },
  { entryPoint: 'nestjs-snowflake/http', peers: NEST },
  { entryPoint: 'nestjs-snowflake/validation', peers: ['class-transformer', 'class-validator'] },
  { entryPoint: 'nestjs-snowflake/drizzle', peers: [] },
  { entryPoint: 'nestjs-snowflake/mikro-orm', peers: [] },
  { entryPoint: 'nestjs-snowflake/prisma', peers: [] },
  { entryPoint: 'nestjs-snowflake/remote', peers: [] },
  { entryPoint: 'nestjs-snowflake/swagger', peers: [...NEST, '@nestjs/swagger'] },
  { entryPoint: 'nestjs-snowflake/graphql', peers: ['graphql'] },
  { entryPoint: 'nestjs-snowflake/terminus', peers: [...NEST, '@nestjs/terminus'] },
  { entryPoint: 'nestjs-snowflake/opentelemetry', peers: [...NEST, '@opentelemetry/api'] },
  { entryPoint: 'nestjs-snowflake/prometheus', peers: [...NEST, 'prom-client'] },
  { entryPoint: 'nestjs-snowflake/testing', peers: NEST },
  { entryPoint: 'nestjs-snowflake/store', peers: [] },
  { entryPoint: 'nestjs-snowflake-coordination/etcd', peers: [] },
  { entryPoint: 'nestjs-snowflake-coordination/zookeeper', peers: [] },
  { entryPoint: 'nestjs-snowflake-segments', peers: NEST },
  { entryPoint: 'nestjs-snowflake-segments/remote', peers: [] },
  { entryPoint: 'nestjs-snowflake-segments/store', peers: [] },
  { entryPoint: 'nestjs-snowflake-segments/store-testing', peers: [] },
  { entryPoint: 'nestjs-snowflake-series', peers: [...NEST, 'typeorm'] },
  { entryPoint: 'nestjs-snowflake-service', peers: NEST },
  {
    entryPoint: 'nestjs-snowflake-service/grpc',
    peers: [...NEST, '@grpc/grpc-js', '@grpc/proto-loader', '@nestjs/microservices'],
    // The definitions of the services are files of the package.
    use: `
      const { loadSync } = await import('@grpc/proto-loader');
      const { useFactory } = entryPoint.snowflakeGrpc({ url: '127.0.0.1:1' });
      const Served = entryPoint.grpcTransport.providers.at(-1);
      const providers = new Map([[Served, { instance: Object.create(Served.prototype) }]]);
      const { options } = useFactory(new Map([['service', { providers }]]));
      return 'snowflake.v1.IdService' in loadSync(options.protoPath, options.loader);`,
  },
  { entryPoint: 'nestjs-snowflake-console', peers: NEST },
  {
    entryPoint: 'nestjs-snowflake-console/server',
    peers: [],
    // So is the page.
    use: `
      const namespace = { name: 'none', description: 'none', inspect: async () => ({ rows: [] }) };
      const server = await entryPoint.startConsoleServer({ namespace });
      const page = await fetch(server.url).then((response) => response.text());
      await server.stop();
      return page.includes('<div id="root">');`,
  },
];
