// What each folder may import: `npm run lint` checks it. Imports point downward only, type imports included. What an entry point
// loads at run time is tested with the packages that users have: test/lab/long/packaging.
import { readFileSync } from 'node:fs';
import { entryPointsOf } from './test/support/entry-points.mjs';

const NEST = '@nestjs/common @nestjs/core';

/** By package: a folder of its `src`, the other folders that it may import, and the packages. A folder that is missing here is an error. */
const FOLDERS = {
  snowflake: {
    core: [],
    // What sibling packages share. Its own files know no framework, and none of it a lease, tag or series.
    kit: ['core'],
    lease: ['core kit'],
    'kit/nest': ['core kit', NEST],
    'kit/sql': ['core kit', 'node:fs node:path pg mysql2'],
    // What all stores share lies in `stores` itself, with the types of Node's TLS. No store knows another one.
    stores: ['core kit lease', 'node:tls'],
    'stores/fixed': ['core lease stores', 'node:fs node:os'],
    'stores/local-window': ['core kit lease stores', 'node:crypto node:fs node:path'],
    // The decisions of a lease: stores answer them, and none of it does I/O.
    'stores/protocol': ['lease stores'],
    'stores/memory': ['core lease stores stores/protocol', 'node:crypto'],
    // What a store outside of this package needs, with the contract that it runs in its tests.
    'stores/port': ['core lease stores/memory stores/protocol', 'node:assert'],
    // Its scripts decide on leases. On claims of the past, the protocol decides by the fields that were read.
    'stores/redis': ['core kit lease stores stores/memory stores/protocol', 'ioredis node:net node:tls'],
    // It needs only `fetch`, so that it runs wherever there is one.
    'stores/remote': ['core kit lease stores'],
    'stores/sql': ['core kit kit/sql lease stores stores/protocol'],
    maker: [
      'core lease stores/fixed stores/local-window stores/memory',
      'node:crypto node:fs node:os node:worker_threads',
    ],
    nest: ['core kit kit/nest lease maker', `${NEST} @nestjs/schedule`],
    // Keyed codecs. Those without a key need no package and lie in core/codecs.
    'adapters/obfuscation': ['core', '@noble/ciphers'],
    'adapters/typeorm': ['core kit kit/sql stores/sql', 'typeorm'],
    // What Drizzle, MikroORM and Prisma pass is read structurally, so that one build fits all their versions.
    'adapters/drizzle': ['core'],
    'adapters/mikro-orm': ['core kit kit/sql'],
    'adapters/prisma': ['core kit/sql'],
    // A program that Prisma starts.
    'adapters/prisma/generator': ['core adapters/prisma', 'node:fs node:path node:process node:readline'],
    'adapters/http': ['core', `${NEST} rxjs`],
    'adapters/validation': ['core', 'class-transformer class-validator'],
    'adapters/swagger': ['core', '@nestjs/swagger'],
    'adapters/graphql': ['core', 'graphql'],
    'adapters/terminus': ['core maker', '@nestjs/common @nestjs/terminus'],
    'adapters/metrics': ['core kit kit/nest lease maker nest', '@nestjs/core'],
    'adapters/opentelemetry': ['core kit kit/nest maker adapters/metrics nest', `${NEST} @opentelemetry/api`],
    'adapters/prometheus': ['core kit kit/nest maker adapters/metrics nest', `${NEST} prom-client`],
    'adapters/testing': [
      'core maker nest stores/fixed',
      '@nestjs/common node:crypto node:fs node:path node:url',
    ],
    // Reads an app by the app's own compiler, of which it imports only types.
    setup: ['core stores/sql', 'typescript'],
    'setup/host': ['setup', 'node:child_process node:fs node:module node:path'],
    'setup/schematic': ['core setup setup/host', 'node:fs node:module node:path node:process'],
  },
  'snowflake-coordination': {
    tls: ['', 'node:tls'],
    // A registry of keys and values. The clients of the servers only read and write.
    'key-value': ['', 'nestjs-snowflake/internal/stores/protocol'],
    etcd: ['key-value tls', 'node:http node:https node:net node:stream node:tls'],
    zookeeper: ['key-value tls', 'node:net node:tls'],
  },
  'snowflake-segments': {
    core: [],
    store: ['core'],
    protocol: ['store'],
    memory: ['protocol store'],
    remote: ['store', 'nestjs-snowflake/remote nestjs-snowflake/internal/stores/remote'],
    sql: ['protocol store', 'nestjs-snowflake/sql nestjs-snowflake/internal/kit/sql typeorm'],
    segments: ['core store', 'node:crypto'],
    nest: ['segments', `${NEST} nestjs-snowflake/internal/kit/nest`],
    'store-testing': ['store', 'nestjs-snowflake/internal/stores/port node:assert'],
  },
  'snowflake-series': {
    core: [],
    database: ['core', 'nestjs-snowflake/internal/kit/sql typeorm'],
    columns: ['core database', 'nestjs-snowflake/internal/adapters/typeorm typeorm'],
    transactions: ['core database', 'nestjs-snowflake/internal/kit/sql node:async_hooks typeorm'],
    // The key of a document can be an ID, which the subscriber of the adapter assigns first.
    series: [
      'columns core database transactions',
      'nestjs-snowflake/internal/kit/sql nestjs-snowflake/internal/adapters/typeorm typeorm',
    ],
    nest: [
      'core database series',
      `${NEST} nestjs-snowflake/internal/kit/nest nestjs-snowflake/internal/adapters/typeorm typeorm`,
    ],
  },
  'snowflake-service': {
    requests: ['', '@nestjs/common nestjs-snowflake/internal/kit/nest node:util'],
    authorization: ['requests', '@nestjs/common node:crypto'],
    settings: [
      'authorization',
      '@nestjs/common nestjs-snowflake/internal/kit/nest nestjs-snowflake/internal/stores/local-window nestjs-snowflake-segments/store',
    ],
    ids: ['requests settings', `${NEST} nestjs-snowflake`],
    stores: ['requests'],
    leases: ['requests stores'],
    claims: ['requests stores', 'nestjs-snowflake-segments/store'],
    segments: ['requests', 'nestjs-snowflake-segments'],
    http: [
      'authorization claims ids leases requests segments settings',
      `${NEST} nestjs-snowflake-segments/store node:http node:net`,
    ],
    grpc: [
      'authorization ids leases requests segments settings',
      `#proto-folder @grpc/grpc-js @grpc/proto-loader ${NEST} @nestjs/microservices rxjs`,
    ],
    // It describes what the service checks requests with.
    openapi: ['claims ids leases requests', '@nestjs/common @nestjs/swagger'],
    nest: [
      'claims http ids leases openapi segments settings',
      `${NEST} nestjs-snowflake/internal/kit/nest nestjs-snowflake-segments`,
    ],
  },
  'snowflake-console': {
    api: [],
    watch: ['api', 'nestjs-snowflake-segments'],
    http: ['api watch', '#page-folder node:fs node:http node:path node:stream node:zlib'],
    nest: [
      'api http watch',
      `${NEST} @nestjs/swagger nestjs-snowflake nestjs-snowflake/internal/kit/nest nestjs-snowflake-segments nestjs-snowflake-series node:http node:net rxjs`,
    ],
    server: ['api http watch', 'node:http node:net'],
  },
  'snowflake-cli': {},
};

const PACKAGES = Object.keys(FOLDERS);
const ENTRY_POINTS = PACKAGES.flatMap((name) => entryPointsOf(`libs/${name}`));
const words = (text) => text.split(' ').filter(Boolean);
const INTERNAL = 'nestjs-snowflake/internal/';
/** What needs no package, so that every folder of the packages above may import it. */
const PLAIN = [
  ...['core', 'standalone', 'store'].map((each) => `nestjs-snowflake/${each}`),
  ...['core', 'kit', 'lease', 'stores'].map((folder) => INTERNAL + folder),
];
/** The command line examines what the packages do, so that it needs more of their modules. */
const EXAMINED = [
  ...words('adapters/typeorm kit/nest kit/sql maker setup setup/host stores/redis stores/sql').map(
    (folder) => INTERNAL + folder,
  ),
  'nestjs-snowflake-coordination/internal/etcd',
  'nestjs-snowflake-coordination/internal/zookeeper',
  'nestjs-snowflake-segments/internal/sql',
  'nestjs-snowflake-series/internal/database',
];
const manifestOf = (name) =>
  JSON.parse(readFileSync(new URL(`libs/${name}/package.json`, import.meta.url), 'utf8'));

/** The files of a folder, without those of the folders below it that have a line of their own. */
function filesOf(name, folder) {
  const hasOthersBelow = Object.keys(FOLDERS[name]).some((other) => other.startsWith(`${folder}/`));
  return `^libs/${name}/src/${folder}/${hasOthersBelow ? '[^/]+$' : ''}`;
}

/** Where the import of a package leads: a file of the workspace, of node_modules, or the name of a module of Node. */
function targetOf(name, specifier) {
  if (specifier.startsWith('#'))
    return `^libs/${name}/${manifestOf(name).imports[specifier].slice('./'.length)}$`;
  const [, sibling, folder] = /^nestjs-(snowflake[\w-]*)\/internal\/(.+)$/.exec(specifier) ?? [];
  if (sibling) return filesOf(sibling, folder);
  const entryPoint = ENTRY_POINTS.find((each) => each.name === specifier);
  if (entryPoint) return `^${entryPoint.source}$`;
  return `^(node_modules/)?${specifier.replace('node:', '')}(/|$)`;
}

const forbid = (name, from, to) => ({ name, severity: 'error', from, to });

/** The folders of a package stand in the order of their layers, so that none imports one that stands below it. */
function requireDownwardImports(name) {
  const above = new Set();
  for (const [folder, [folders = '']] of Object.entries(FOLDERS[name])) {
    const below = words(folders).filter((other) => !above.has(other));
    if (below.length > 0)
      throw new Error(`${name}/${folder} imports ${below.join()}, whose line stands below its own`);
    above.add(folder);
  }
}
PACKAGES.forEach(requireDownwardImports);

/** One rule for each folder. */
function folderRules(name) {
  return Object.entries(FOLDERS[name]).map(([folder, [folders = '', packages = '']]) =>
    forbid(
      `${name}/${folder} imports only what its line allows`,
      { path: filesOf(name, folder) },
      {
        pathNot: [
          ...[folder, ...words(folders)].map((other) => filesOf(name, other)),
          ...words(packages).map((specifier) => targetOf(name, specifier)),
          ...(name === 'snowflake' ? [] : PLAIN.map((specifier) => targetOf(name, specifier))),
        ],
      },
    ),
  );
}

/** A package imports itself, the entry points of those that its package.json names, and single modules of folders. */
function packageRule(name) {
  const { dependencies, peerDependencies } = manifestOf(name);
  const siblings = Object.keys({ ...dependencies, ...peerDependencies })
    .map((each) => each.replace('nestjs-', ''))
    .filter((each) => PACKAGES.includes(each));
  return forbid(
    `${name} imports itself, entry points of the packages that it names, and modules of some folders`,
    { path: `^libs/${name}/src/` },
    {
      path: '^(apps|bench|examples|libs|scripts|site|test)/',
      pathNot: [
        `^libs/${name}/(?!test/)`,
        ...siblings.flatMap((each) => entryPointsOf(`libs/${each}`)).map(({ source }) => `^${source}$`),
        // The lines of the folders say it for the others.
        ...(layered.includes(name)
          ? ['^libs/snowflake/src/']
          : [...PLAIN, ...EXAMINED].map((each) => targetOf(name, each))),
      ],
    },
  );
}

const layered = PACKAGES.filter((name) => Object.keys(FOLDERS[name]).length > 0);

export default {
  forbidden: [
    ...layered.flatMap(folderRules),
    ...PACKAGES.map(packageRule),
    forbid(
      'every folder has a line',
      {
        path: `^libs/(${layered.join('|')})/src/.+/`,
        pathNot: layered.flatMap((name) => Object.keys(FOLDERS[name]).map((folder) => filesOf(name, folder))),
      },
      {},
    ),
    forbid(
      'entry points re-export sources of their package',
      { path: `^libs/(${layered.join('|')})/src/[^/]+$` },
      { pathNot: '^libs/$1/src/' },
    ),
    forbid(
      'a package imports only what its package.json names',
      // `nest add` gets the compiler of the app as an argument.
      { path: '^libs/[^/]+/src/', pathNot: '^libs/snowflake/src/setup/typescript\\.ts$' },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'], dependencyTypesNot: ['npm', 'npm-peer'] },
    ),
    forbid('every import leads somewhere', {}, { couldNotResolve: true }),
    forbid(
      "the console's page imports only what runs in browsers",
      { path: '^libs/snowflake-console/page/src/' },
      {
        pathNot: [
          '^libs/snowflake-console/page/',
          '^libs/snowflake-console/src/api/console-api\\.ts$',
          '^libs/snowflake/src/(core/index|core/finding/[^/]+|core/ids/id-sql|core/see-docs|lease/(id-origin|namespace-fingerprint))\\.ts$',
          '^node_modules/(@preact/signals|preact)/',
        ],
      },
    ),
    forbid(
      'apps import only public entry points of the packages',
      { path: '^apps/[^/]+/src/' },
      {
        path: '^(bench|examples|libs|scripts|site|test)/',
        pathNot: ENTRY_POINTS.map(({ source }) => `^${source}$`),
      },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.tsx?$' },
    // Type imports, too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
