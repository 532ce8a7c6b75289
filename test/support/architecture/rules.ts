/** What a folder of the library may import besides itself. */
export interface LayerRule {
  readonly layers: readonly string[];
  /** npm packages and Node built-ins. A `*` at the end stands for any rest. */
  readonly packages: readonly string[];
}

/** Imports point downward only. A folder that is missing here is an error. */
const LAYERS: Readonly<Record<string, LayerRule>> = {
  core: { layers: [], packages: [] },
  lease: { layers: ['core'], packages: [] },
  // What sibling packages share. Its own files know no framework, and none of it a lease, tag or series.
  kit: { layers: ['core'], packages: [] },
  'kit/nest': { layers: ['core', 'kit'], packages: ['@nestjs/common', '@nestjs/core'] },
  'kit/sql': {
    layers: ['core', 'kit', 'lease'],
    packages: ['node:fs', 'node:fs/promises', 'node:path', 'pg', 'mysql2', '(computed)'],
  },
  // What all stores share lies in `stores` itself, with the types of Node's TLS. No store knows another one.
  stores: { layers: ['core', 'lease'], packages: ['node:tls'] },
  'stores/fixed': { layers: ['core', 'lease', 'stores'], packages: ['node:fs', 'node:os'] },
  'stores/local-window': {
    layers: ['core', 'lease', 'stores'],
    packages: ['node:crypto', 'node:fs', 'node:fs/promises', 'node:path'],
  },
  // The decisions of a lease: stores answer them, and none of it does I/O.
  'stores/protocol': { layers: ['lease', 'stores'], packages: [] },
  'stores/memory': { layers: ['core', 'lease', 'stores', 'stores/protocol'], packages: [] },
  // A registry of keys and values; the drivers below only read and write.
  'stores/key-value': { layers: ['core', 'lease', 'stores', 'stores/protocol'], packages: [] },
  'stores/etcd': {
    layers: ['core', 'kit', 'lease', 'stores', 'stores/key-value'],
    packages: ['node:http', 'node:https', 'node:net', 'node:stream/consumers', 'node:tls'],
  },
  'stores/zookeeper': {
    layers: ['core', 'lease', 'stores', 'stores/key-value'],
    packages: ['node:net', 'node:tls'],
  },
  'stores/redis': { layers: ['core', 'kit', 'lease', 'stores'], packages: ['ioredis'] },
  // Needs `fetch` alone, so that it runs wherever there is one.
  'stores/remote': { layers: ['core', 'kit', 'lease', 'stores'], packages: [] },
  'stores/sql': { layers: ['core', 'kit', 'kit/sql', 'lease', 'stores', 'stores/protocol'], packages: [] },
  maker: { layers: ['core', 'lease'], packages: ['node:crypto', 'node:os', 'node:worker_threads'] },
  nest: { layers: ['core', 'kit', 'kit/nest', 'lease', 'maker'], packages: ['@nestjs/*'] },
  // Keyed codecs: those without a key need no package and lie in core/codecs.
  obfuscation: { layers: ['core'], packages: ['@noble/ciphers'] },
  typeorm: { layers: ['core', 'kit', 'kit/sql', 'stores/sql'], packages: ['typeorm'] },
  // What Drizzle takes is read structurally, so that one build fits all its versions and dialects.
  drizzle: { layers: ['core'], packages: [] },
  // MikroORM is passed by the app, so that one build fits 6 (CommonJS) and 7 (ES modules).
  'mikro-orm': { layers: ['core', 'kit', 'kit/sql'], packages: [] },
  // So is what Prisma takes.
  prisma: { layers: ['core', 'kit/sql'], packages: [] },
  // A program that Prisma starts.
  'prisma/generator': {
    layers: ['core', 'prisma'],
    packages: ['node:fs', 'node:path', 'node:process', 'node:readline'],
  },
  http: { layers: ['core'], packages: ['@nestjs/common', '@nestjs/core', 'rxjs'] },
  validation: { layers: ['core'], packages: ['class-transformer', 'class-validator'] },
  swagger: { layers: ['core'], packages: ['@nestjs/swagger'] },
  graphql: { layers: ['core'], packages: ['graphql'] },
  terminus: { layers: ['core', 'maker'], packages: ['@nestjs/common', '@nestjs/terminus'] },
  // The measurements, which the entry points below report.
  metrics: { layers: ['core', 'kit', 'lease', 'maker'], packages: [] },
  opentelemetry: {
    layers: ['core', 'kit', 'kit/nest', 'maker', 'metrics', 'nest'],
    packages: ['@nestjs/common', '@nestjs/core', '@opentelemetry/api'],
  },
  prometheus: {
    layers: ['core', 'kit', 'kit/nest', 'maker', 'metrics', 'nest'],
    packages: ['@nestjs/common', '@nestjs/core', 'prom-client'],
  },
  // For users' tests of their apps.
  testing: {
    layers: ['core', 'maker', 'nest', 'stores/fixed'],
    packages: ['@nestjs/common', 'node:crypto', 'node:fs', 'node:path', 'node:url'],
  },
  // For tests of lease stores.
  'store-testing': {
    layers: ['core', 'lease'],
    packages: ['node:*'],
  },
  // An entry point only re-exports. What it loads is tried with the packages that users have: `package.spec.ts`.
  'entry point': { layers: ['*'], packages: [] },
};

/** The same for the console, a separate package that imports only entry points of the library. */
const CONSOLE_LAYERS: Readonly<Record<string, LayerRule>> = {
  // What the page and its server say to each other.
  api: { layers: [], packages: ['nestjs-snowflake/core'] },
  // What is read from makers, registries and sources, and who listens.
  watch: {
    layers: ['api'],
    packages: [
      'nestjs-snowflake/core',
      'nestjs-snowflake-segments',
      'nestjs-snowflake/standalone',
      'nestjs-snowflake/store',
    ],
  },
  // Answers requests, whatever server they came through.
  http: {
    layers: ['api', 'watch'],
    packages: [
      '#page-folder',
      'nestjs-snowflake/core',
      'nestjs-snowflake/standalone',
      'node:fs',
      'node:http',
      'node:path',
      'node:stream',
    ],
  },
  nest: {
    layers: ['api', 'http', 'watch'],
    packages: [
      '@nestjs/common',
      '@nestjs/core',
      '@nestjs/swagger',
      'nestjs-snowflake',
      'nestjs-snowflake/kit',
      'nestjs-snowflake/kit-nest',
      // If the app has them.
      'nestjs-snowflake-segments',
      'nestjs-snowflake-series',
      'node:http',
      'node:net',
      'rxjs',
    ],
  },
  // Without Nest, for the command line.
  server: {
    layers: ['api', 'http', 'watch'],
    packages: [
      'nestjs-snowflake/core',
      'nestjs-snowflake/standalone',
      'nestjs-snowflake/store',
      'node:http',
      'node:net',
    ],
  },
  'entry point': { layers: ['*'], packages: [] },
};

/** The same for the segments, which import the entry points of the library and what it shares with its siblings. */
const SEGMENT_LAYERS: Readonly<Record<string, LayerRule>> = {
  // Chains of segments, and how long a step is.
  core: { layers: [], packages: ['nestjs-snowflake/core', 'nestjs-snowflake/kit'] },
  // The port of a store, and what every store and every caller share.
  store: {
    layers: ['core'],
    packages: ['nestjs-snowflake/core', 'nestjs-snowflake/kit', 'nestjs-snowflake/store'],
  },
  // The decisions: stores answer them, and none of it does I/O.
  protocol: { layers: ['store'], packages: ['nestjs-snowflake/store'] },
  memory: {
    layers: ['protocol', 'store'],
    packages: ['nestjs-snowflake/kit', 'nestjs-snowflake/store'],
  },
  // Needs `fetch` alone, so that it runs wherever there is one.
  remote: {
    layers: ['store'],
    packages: ['nestjs-snowflake/core', 'nestjs-snowflake/kit-remote', 'nestjs-snowflake/store'],
  },
  sql: {
    layers: ['protocol', 'store'],
    packages: [
      'nestjs-snowflake/core',
      'nestjs-snowflake/kit',
      'nestjs-snowflake/kit-sql',
      'nestjs-snowflake/store',
      'typeorm',
    ],
  },
  // What users inject.
  segments: {
    layers: ['core', 'store'],
    packages: ['nestjs-snowflake/core', 'nestjs-snowflake/kit', 'nestjs-snowflake/store', 'node:crypto'],
  },
  nest: {
    layers: ['segments'],
    packages: ['@nestjs/common', '@nestjs/core', 'nestjs-snowflake/kit', 'nestjs-snowflake/kit-nest'],
  },
  'store-testing': {
    layers: ['store'],
    packages: ['nestjs-snowflake/kit', 'nestjs-snowflake/store-testing', 'node:assert/strict'],
  },
  'entry point': { layers: ['*'], packages: [] },
};

/** The same for the series, which import the entry points of the library and what it shares with its siblings. */
const SERIES_LAYERS: Readonly<Record<string, LayerRule>> = {
  core: { layers: [], packages: ['nestjs-snowflake/core', 'nestjs-snowflake/kit'] },
  database: {
    layers: ['core'],
    packages: [
      'nestjs-snowflake/core',
      'nestjs-snowflake/kit',
      'nestjs-snowflake/kit-sql',
      'nestjs-snowflake/store',
      'typeorm',
    ],
  },
  columns: {
    layers: ['core', 'database'],
    packages: ['nestjs-snowflake/core', 'nestjs-snowflake/kit', 'typeorm'],
  },
  transactions: {
    layers: ['core', 'database'],
    packages: [
      'nestjs-snowflake/core',
      'nestjs-snowflake/kit',
      'nestjs-snowflake/kit-sql',
      'node:async_hooks',
      'typeorm',
    ],
  },
  series: {
    layers: ['columns', 'core', 'database', 'transactions'],
    packages: [
      'nestjs-snowflake/core',
      'nestjs-snowflake/kit',
      'nestjs-snowflake/kit-sql',
      // The key of a document can be an ID that the subscriber there assigns first.
      'nestjs-snowflake/kit-typeorm',
      'typeorm',
    ],
  },
  nest: {
    layers: ['core', 'database', 'series'],
    packages: [
      '@nestjs/common',
      '@nestjs/core',
      'nestjs-snowflake/core',
      'nestjs-snowflake/kit',
      'nestjs-snowflake/kit-nest',
      'nestjs-snowflake/kit-typeorm',
      'nestjs-snowflake/store',
      'typeorm',
    ],
  },
  'entry point': { layers: ['*'], packages: [] },
};

/** The same for the service, which serves ID makers and stores of the app. */
const SERVICE_LAYERS: Readonly<Record<string, LayerRule>> = {
  // What a request may hold, and how it is refused.
  requests: {
    layers: [],
    packages: [
      '@nestjs/common',
      'nestjs-snowflake/core',
      'nestjs-snowflake/kit',
      'nestjs-snowflake/kit-nest',
      'node:util',
    ],
  },
  // Who may do what.
  authorization: {
    layers: ['requests'],
    packages: ['@nestjs/common', 'nestjs-snowflake/core', 'nestjs-snowflake/kit', 'node:crypto'],
  },
  settings: {
    layers: ['authorization'],
    packages: [
      '@nestjs/common',
      'nestjs-snowflake/core',
      'nestjs-snowflake/kit',
      'nestjs-snowflake/kit-nest',
      'nestjs-snowflake/store',
      'nestjs-snowflake-segments/store',
    ],
  },
  // What is served, whatever a request came through.
  ids: {
    layers: ['requests', 'settings'],
    packages: ['@nestjs/common', '@nestjs/core', 'nestjs-snowflake'],
  },
  // What the stores of leases and of segments share: who opens, bounds and closes them.
  stores: {
    layers: ['requests'],
    packages: ['nestjs-snowflake/core', 'nestjs-snowflake/kit', 'nestjs-snowflake/store'],
  },
  leases: {
    layers: ['requests', 'stores'],
    packages: ['nestjs-snowflake/kit', 'nestjs-snowflake/store'],
  },
  claims: {
    layers: ['requests', 'stores'],
    packages: ['nestjs-snowflake/kit', 'nestjs-snowflake-segments/store'],
  },
  // Types alone: whether the app has the package is the module's to find out.
  segments: { layers: ['requests'], packages: ['nestjs-snowflake-segments'] },
  http: {
    layers: ['authorization', 'claims', 'ids', 'leases', 'requests', 'segments', 'settings'],
    packages: [
      '@nestjs/common',
      '@nestjs/core',
      'nestjs-snowflake/core',
      'nestjs-snowflake/kit',
      'nestjs-snowflake/store',
      'nestjs-snowflake-segments/store',
    ],
  },
  grpc: {
    layers: ['authorization', 'ids', 'leases', 'requests', 'segments', 'settings'],
    packages: [
      '#proto-folder',
      // What the transport is made of. Health and reflection are passed by the app.
      '@grpc/grpc-js',
      '@grpc/proto-loader',
      '@nestjs/common',
      '@nestjs/core',
      '@nestjs/microservices',
      'nestjs-snowflake/core',
      'nestjs-snowflake/kit',
      'nestjs-snowflake/store',
      'rxjs',
    ],
  },
  // What the OpenAPI document of the app shows of the routes.
  openapi: { layers: [], packages: ['@nestjs/common', '@nestjs/swagger'] },
  nest: {
    layers: ['claims', 'http', 'ids', 'leases', 'openapi', 'segments', 'settings'],
    packages: [
      '@nestjs/common',
      '@nestjs/core',
      'nestjs-snowflake/kit',
      'nestjs-snowflake/kit-nest',
      // If the app has it.
      'nestjs-snowflake-segments',
    ],
  },
  'entry point': { layers: ['*'], packages: [] },
};

/** The rules of a package. */
export interface PackageRules {
  /** Where its sources lie, relative to the repository. */
  readonly root: string;
  readonly layers: Readonly<Record<string, LayerRule>>;
}

export const PACKAGES: readonly PackageRules[] = [
  { root: 'libs/snowflake/src/', layers: LAYERS },
  { root: 'libs/snowflake-segments/src/', layers: SEGMENT_LAYERS },
  { root: 'libs/snowflake-series/src/', layers: SERIES_LAYERS },
  { root: 'libs/snowflake-service/src/', layers: SERVICE_LAYERS },
  { root: 'libs/snowflake-console/src/', layers: CONSOLE_LAYERS },
];
