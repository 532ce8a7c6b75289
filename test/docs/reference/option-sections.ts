/** A section of the page of options: the table of an interface, between texts written by hand. */
export interface OptionSection {
  readonly heading: string;
  readonly interfaceName: string;
  /** Before the table. */
  readonly intro: string;
  /** Options that come first, in this order. Default: those without a default. */
  readonly leading?: readonly string[];
  /** After the table, its notes and its choices. */
  readonly outro?: string;
}

const DURATIONS = `### Durations that fit each other

If you set a duration yourself, the others have to fit it. The maker checks at its construction that

- 1.1 × \`renewEveryMs\` (rounded up) + 2 × \`callTimeoutMs\` + \`maxSkewMs\` + \`reserveMs\` < \`windowMs\`,
- 2 × \`callTimeoutMs\` ≤ \`maxSkewMs\`,
- \`reserveMs\` ≥ 2 × \`tickMs\`,
- \`acquireTimeoutMs\` > \`windowMs\` + \`maxSkewMs\`, under \`onEmptyStore: 'wait'\`.

The defaults of every \`windowMs\` fit each other. With a \`windowMs\` of 42,000 or more, they also allow \`minReplicas\`.

All processes of a namespace need the same \`windowMs\` and \`maxSkewMs\`. The store compares the layout and the epoch at the
start, but not these two. Change \`windowMs\` while the store is healthy: as long as processes with different windows run
side by side, a wiped store can lead to duplicates.`;

export const OPTION_SECTIONS: readonly OptionSection[] = [
  {
    heading: 'Module',
    interfaceName: 'SnowflakeModuleOptions',
    intro:
      'Pass these to `SnowflakeModule.forRoot()`, or return them from `useFactory`. `new SnowflakeIdMaker()` takes the same\n' +
      'options without `drainTimeoutMs`.',
    leading: ['store', 'epoch', 'layout', 'datacenterId', 'lease'],
    outro:
      '[Clock rollback](../explanation/clock-rollback.md) compares the policies of `onClockRollback`, and\n' +
      '[Shutdown](../guides/shutdown.md) says how to choose `drainTimeoutMs`.',
  },
  {
    heading: 'Registration',
    interfaceName: 'SnowflakeModuleExtras',
    intro:
      'Put these beside `useFactory`, `useClass` or `useExisting` of `forRootAsync()`; in `forRoot()`, put them among the\n' +
      'options of the module. `forRootAsync()` also takes `imports`, `inject` and `provideInjectionTokensFrom`, as in Nest.',
  },
  {
    heading: 'Bit layout',
    interfaceName: 'BitLayoutOptions',
    intro:
      'Pass these as `layout`. All fields together have at most 63 bits. [Layouts](layouts.md) has the rules and the presets.',
  },
  {
    heading: 'Lease',
    interfaceName: 'LeaseOptions',
    intro:
      'Pass these as `lease`. Set `windowMs` if you must; the other durations follow from it. The defaults in the table are\n' +
      'those of a window of 60,000 ms.',
    leading: ['windowMs'],
    outro: DURATIONS,
  },
  {
    heading: 'redisLeaseStore()',
    interfaceName: 'RedisLeaseStoreOptions',
    intro:
      'From `nestjs-snowflake/redis`; see [Redis](../stores/redis.md). Give exactly one of `url`, `options`, `client`, `sentinels`\n' +
      'and `cluster`; `options` may also complete `url` or `sentinels`. The store makes a connection of its own in any case, on\n' +
      'which no call can hang.',
    leading: ['namespace', 'url', 'options', 'client', 'sentinels', 'name', 'cluster'],
  },
  {
    heading: 'sqlLeaseStore()',
    interfaceName: 'SqlLeaseStoreOptions',
    intro: 'From `nestjs-snowflake/sql`; see [SQL](../stores/sql.md).',
  },
  {
    heading: 'staticLeaseStore()',
    interfaceName: 'StaticLeaseStoreOptions',
    intro: 'A fixed worker ID without a server; see [Fixed worker IDs](../stores/fixed-worker-ids.md).',
  },
  {
    heading: 'memoryLeaseStore()',
    interfaceName: 'MemoryLeaseStoreOptions',
    intro:
      'Leases in the memory of one process, for tests and for an app that always runs as a single process. All options are\n' +
      'optional.',
  },
  {
    heading: 'environmentLeaseStore()',
    interfaceName: 'EnvironmentLeaseStoreOptions',
    intro:
      'A fixed worker ID from an environment variable; see [Fixed worker IDs](../stores/fixed-worker-ids.md). The store refuses a\n' +
      'value that is missing, empty, signed or anything else but plain digits.',
  },
  {
    heading: 'kubernetesLeaseStore()',
    interfaceName: 'KubernetesLeaseStoreOptions',
    intro:
      "The ordinal of a StatefulSet's pod as a fixed worker ID: `web-3` gets 3. See [Kubernetes](../guides/kubernetes.md). The\n" +
      'worker ID is `offset` + ordinal - `firstOrdinal`.',
  },
  {
    heading: 'withLocalWindow()',
    interfaceName: 'LocalWindowOptions',
    intro:
      'The second argument of `withLocalWindow(store, options)`, which keeps the rest of a window on disk; see\n' +
      '[A window on disk](../stores/local-window.md).',
  },
  {
    heading: '@SnowflakeId()',
    interfaceName: 'SnowflakeIdOptions',
    intro:
      'From `nestjs-snowflake/typeorm`; see [TypeORM](../guides/typeorm.md). `snowflakeIdColumn()` takes the same for an\n' +
      '`EntitySchema`.',
    leading: ['primary', 'instance', 'type', 'update'],
  },
  {
    heading: '@SnowflakeColumn()',
    interfaceName: 'SnowflakeColumnOptions',
    intro:
      'From `nestjs-snowflake/typeorm`, for a column that holds the ID of another row. `snowflakeColumn()` takes the same for an\n' +
      '`EntitySchema`.',
    leading: ['primary'],
  },
  {
    heading: 'Unpadded codecs',
    interfaceName: 'PaddingOptions',
    intro: 'Of `base32Codec()`, `base36Codec()` and `base62Codec()`; see [Codecs](codecs.md).',
  },
  {
    heading: 'obfuscatingCodec()',
    interfaceName: 'ObfuscatingCodecOptions',
    intro: 'From `nestjs-snowflake/obfuscation`; see [Codecs](codecs.md#hide-what-an-id-says).',
  },
  {
    heading: 'suggestLayout()',
    interfaceName: 'LayoutDemands',
    intro: 'From `nestjs-snowflake/core`; see [Layouts](layouts.md#size-a-layout-of-your-own).',
  },
];
