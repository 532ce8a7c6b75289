import type { Redaction } from 'nestjs-snowflake/kit';

export type Severity = 'error' | 'warning';

interface FindingKind {
  readonly severity: Severity;
  /** What is wrong, as a phrase. */
  readonly title: string;
  /** What to do, as full sentences. */
  readonly remedy: string;
}

const kinds = <Codes extends string>(all: Readonly<Record<Codes, FindingKind>>) => all;

/** Everything that the doctor can find, by code. Codes are stable; the texts are not. */
export const FINDING_KINDS = kinds({
  OPTIONS_INVALID: {
    severity: 'error',
    title: 'The library refuses the options of the app',
    remedy: 'Correct the option that the message names.',
  },
  LOSS_IGNORED: {
    severity: 'error',
    title: "`possibleLoss: 'ignore'` in production",
    remedy:
      "Set lease.possibleLoss to 'wait', the default, and initialize each new namespace once with nestjs-snowflake init.",
  },
  MEMORY_STORE: {
    severity: 'error',
    title: '`memoryLeaseStore()` in production',
    remedy: 'Use a store that processes share, such as redisLeaseStore() or sqlLeaseStore().',
  },
  CREATE_TABLE: {
    severity: 'warning',
    title: '`createTable: true` in production',
    remedy:
      'Run the migration CreateSnowflakeLeaseTables1767225600000, turn createTable off, and take the right CREATE away.',
  },
  LAYOUT_ENDS: {
    severity: 'warning',
    title: 'The timestamp field of the layout ends within a year',
    remedy: 'Move to a layout with more timestamp bits or a later epoch, in a new namespace.',
  },
  NODE_VERSION: {
    severity: 'error',
    title: 'A Node.js version that the library does not support',
    remedy: 'Install a version in the range that the message names.',
  },
  PEER_VERSION: {
    severity: 'error',
    title: 'A package in a version that the library does not support',
    remedy: 'Install a version in the range that the message names.',
  },
  STORE_UNREACHABLE: {
    severity: 'error',
    title: 'The server does not answer',
    remedy: 'Check the address, the port, TLS and the network from this host, and that the server runs.',
  },
  WRONG_SERVER: {
    severity: 'error',
    title: 'Another kind of server than the store needs',
    remedy:
      'Correct the address or the way to connect; docs/stores/managed-redis.md lists the supported servers.',
  },
  READ_ONLY_SERVER: {
    severity: 'error',
    title: 'A replica, or a server that was made read-only',
    remedy: 'Connect to the primary, not to a replica or a read balancer.',
  },
  WRITES_REFUSED: {
    severity: 'error',
    title: 'Redis refuses writes: out of memory, a failed snapshot, or too few replicas',
    remedy: 'Repair what the message of the server names. Until then no lease is renewed.',
  },
  CREDENTIALS_REFUSED: {
    severity: 'error',
    title: 'A wrong user name or password',
    remedy: 'Correct the user name and password of the connection. Percent-encode them in a URL.',
  },
  RIGHTS_MISSING: {
    severity: 'error',
    title: 'A right that leases need is missing',
    remedy: 'Give the user SELECT, INSERT and UPDATE on both tables.',
  },
  DATABASE_MISSING: {
    severity: 'error',
    title: 'The database, the schema or the file does not exist',
    remedy: 'Create it, or correct its name.',
  },
  TABLES_MISSING: {
    severity: 'error',
    title: 'The tables of the store are missing, or another program made them',
    remedy:
      'Run the migration CreateSnowflakeLeaseTables1767225600000, or nestjs-snowflake init with --create-table.',
  },
  TABLE_ENGINE: {
    severity: 'error',
    title: 'A table whose engine locks no rows',
    remedy: 'Stop all processes that use it, and run ALTER TABLE … ENGINE=InnoDB.',
  },
  HISTORY_HIDDEN: {
    severity: 'error',
    title: 'The database does not show whether it has lost commits',
    remedy:
      'If it never loses an acknowledged commit, set assumeNoLostWrites: true. Otherwise use another store.',
  },
  COMMITS_MAY_BE_LOST: {
    severity: 'error',
    title: 'A crash of the server can undo acknowledged writes',
    remedy:
      'Nothing, if that is intended: after a crash new processes wait as after a restart. The rows of your app can be lost ' +
      'as well.',
  },
  REGISTRY_UNREADABLE: {
    severity: 'error',
    title: 'The registry holds a value that the library did not write',
    remedy: 'Follow "The registry is unreadable" in docs/operations/troubleshooting.md.',
  },
  STORE_REFUSES: {
    severity: 'error',
    title: 'The store refuses this client for another reason',
    remedy: 'Follow the message: it has the answer of the server.',
  },
  EVICTION: {
    severity: 'error',
    title: 'An eviction policy of Redis that may drop the registry',
    remedy:
      'Set maxmemory-policy to noeviction or a volatile-* policy, or lease from another Redis than the cache.',
  },
  EVICTION_UNKNOWN: {
    severity: 'warning',
    title: 'Redis does not show its eviction policy',
    remedy: 'Ask the operator of Redis whether maxmemory-policy is noeviction or volatile-*.',
  },
  REPLICAS_UNPROVEN: {
    severity: 'error',
    title: 'Redis has replicas, but `minReplicas` is 0',
    remedy:
      'Set minReplicas: 1 in every process, and min-replicas-to-write 1 on every server (docs/stores/redis.md). If no ' +
      'replica is ever promoted, accept this finding with --accept REPLICAS_UNPROVEN.',
  },
  REPLICAS_TOO_FEW: {
    severity: 'error',
    title: 'Redis has fewer replicas than `minReplicas`',
    remedy: 'Bring the replicas back, or lower minReplicas.',
  },
  NOT_PERSISTENT: {
    severity: 'warning',
    title: 'Redis keeps nothing on disk',
    remedy:
      'Nothing, if that is intended: after a restart of Redis new processes wait as after a wipe. Otherwise turn on ' +
      'appendonly.',
  },
  CLOCK_DIFFERENCE: {
    severity: 'warning',
    title: 'The clocks of this host and the store differ by more than `maxSkewMs`',
    remedy:
      'Run a time service on both. The library adds the difference, or refuses to start with strictClock.',
  },
  LAYOUT_DIFFERS: {
    severity: 'error',
    title: 'The app has another layout than its namespace',
    remedy: 'Use the layout, epoch and worker ID range of the others, or a namespace of its own.',
  },
  TIMING_DIFFERS: {
    severity: 'warning',
    title: 'The app has another `windowMs` or `maxSkewMs` than its namespace',
    remedy:
      'Use the same values in all processes. The namespace keeps the longest: docs/operations/upgrading.md shortens it.',
  },
  NAMESPACE_FULL: {
    severity: 'error',
    title: 'Every worker ID is held',
    remedy: 'Run fewer processes, shorten the window, or use more worker bits in a new namespace.',
  },
  NAMESPACE_NEARLY_FULL: {
    severity: 'warning',
    title: 'At least 80 % of the worker IDs are held',
    remedy:
      'Count a rolling deploy and crashes: run fewer processes, shorten the window, or use more worker bits in a new ' +
      'namespace.',
  },
  NAMESPACE_NEW: {
    severity: 'warning',
    title: 'The namespace is empty: new, misspelled or wiped',
    remedy: 'If it is new, run nestjs-snowflake init before the first start.',
  },
  NAMESPACE_TWICE: {
    severity: 'error',
    title: 'Two schemas of the database have the same namespace',
    remedy:
      'Set the schema of the DataSource, or one search_path, for every process of the namespace. If they are ID spaces of ' +
      'their own, such as one per tenant, give each another namespace, or accept this finding with --accept NAMESPACE_TWICE.',
  },
  GRANTS_WAIT: {
    severity: 'warning',
    title: 'New processes wait, because the registry may have lost leases',
    remedy: 'Let them wait, with an acquireTimeoutMs and a start-up probe that are long enough.',
  },
  DRIVER_ROUNDS: {
    severity: 'error',
    title: 'The driver of the database rounds 64-bit integers',
    remedy: 'Follow the message: it has the setting of the driver.',
  },
  COLUMNS_NOT_FOUND: {
    severity: 'warning',
    title: 'Snowflake columns that the entities or the database lack',
    remedy:
      'Pass the DataSource with the entities of the app, and run this again when its migrations have made their tables.',
  },
  COLUMN_TYPE: {
    severity: 'error',
    title: "A column that can't hold every ID",
    remedy: 'Migrate the column to bigint: docs/guides/migrating-from-auto-increment.md.',
  },
});

export type FindingCode = keyof typeof FINDING_KINDS;

/** One thing that is wrong. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** What was found, with the values. */
  readonly problem: string;
  readonly remedy: string;
}

/** What was examined, as phrases, and what is wrong with it. */
export interface Examination {
  readonly findings: readonly Finding[];
  readonly examined: readonly string[];
}

/** Makes a finding. `instead` replaces what its kind says. */
export function finding(
  code: FindingCode,
  problem: string,
  instead: Partial<Pick<Finding, 'severity' | 'remedy'>> = {},
): Finding {
  const { severity, remedy } = FINDING_KINDS[code];
  return { code, severity, problem, remedy, ...instead };
}

/** How a store is called. Often the user of a URL is called the same. */
const STORE = /(\b[a-z]+ namespace "[\w.:-]{1,128}")/;

/** Returns a finding without the secrets. */
export function withoutSecrets({ problem, remedy, ...rest }: Finding, secrets: Redaction): Finding {
  const cleaned = problem.split(STORE).map((part, index) => (index % 2 === 1 ? part : secrets.clean(part)));
  return { ...rest, problem: cleaned.join(''), remedy: secrets.remove(remedy) };
}
