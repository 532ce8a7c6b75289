import type { SnowflakeError } from 'nestjs-snowflake/core';
import type { Redaction } from 'nestjs-snowflake/internal/core/errors/redaction';
import { seeDocs } from 'nestjs-snowflake/internal/core/see-docs';

export type Severity = 'error' | 'warning';

interface FindingKind {
  readonly severity: Severity;
  /** What to do, as full sentences. */
  readonly remedy: string;
}

const kinds = <Codes extends string>(all: Readonly<Record<Codes, FindingKind>>) => all;

/** Everything that the doctor can find, by code. Codes are stable, texts are not. The page about the doctor explains each. */
export const FINDING_KINDS = kinds({
  OPTIONS_INVALID: {
    severity: 'error',
    remedy: 'Correct the option that the message names.',
  },
  LOSS_IGNORED: {
    severity: 'error',
    remedy:
      "Set lease.possibleLoss to 'wait', the default, and initialize each new namespace once: npx nestjs-snowflake-cli init --help shows how.",
  },
  MEMORY_STORE: {
    severity: 'error',
    remedy: 'Use a store that processes share, such as redisLeaseStore() or sqlLeaseStore().',
  },
  CREATE_TABLE: {
    severity: 'warning',
    remedy:
      'Run the migration CreateSnowflakeLeaseTables1767225600000, turn createTable off, and revoke the CREATE privilege.',
  },
  SCHEMA_TOOL: {
    severity: 'warning',
    remedy: `Hide the tables of the library from the tool. ${seeDocs('guides/other-orms', 'Keep the tables of the library')}`,
  },
  OPENAPI_NUMBER: {
    severity: 'warning',
    remedy:
      'Declare them with @ApiSnowflakeId(), @ApiSnowflakeIdParam() or @ApiSnowflakeIdQuery(). If none of them is a Snowflake ID, ' +
      'accept this finding with --accept OPENAPI_NUMBER.',
  },
  ID_AS_NUMBER: {
    severity: 'warning',
    remedy: 'Keep IDs as strings.',
  },
  LAYOUT_ENDS: {
    severity: 'warning',
    remedy: 'Move to a layout with more timestamp bits or a later epoch, in a new namespace.',
  },
  NODE_VERSION: {
    severity: 'error',
    remedy: 'Install a version in the range that the message names.',
  },
  PEER_VERSION: {
    severity: 'error',
    remedy: 'Install a version in the range that the message names.',
  },
  STORE_UNREACHABLE: {
    severity: 'error',
    remedy: 'Check the address, the port, TLS and the network from this host, and that the server runs.',
  },
  WRONG_SERVER: {
    severity: 'error',
    remedy: `Correct the address or the connection options. ${seeDocs('stores/redis', 'Managed Redis')}`,
  },
  READ_ONLY_SERVER: {
    severity: 'error',
    remedy: 'Connect to the primary, not to a replica or a read balancer.',
  },
  WRITES_REFUSED: {
    severity: 'error',
    remedy: "Fix the cause in the server's reply. Until then, no lease is renewed.",
  },
  CREDENTIALS_REFUSED: {
    severity: 'error',
    remedy: 'Correct the user name and password of the connection. Percent-encode them in a URL.',
  },
  RIGHTS_MISSING: {
    severity: 'error',
    remedy: 'Grant the user SELECT, INSERT and UPDATE on both tables.',
  },
  DATABASE_MISSING: {
    severity: 'error',
    remedy: 'Create the database, the schema or the file, or correct its name.',
  },
  TABLES_MISSING: {
    severity: 'error',
    remedy:
      'Run the migration CreateSnowflakeLeaseTables1767225600000, or npx nestjs-snowflake-cli init with --create-table.',
  },
  TABLE_ENGINE: {
    severity: 'error',
    remedy: 'Stop all processes that use the table, and change it as described.',
  },
  HISTORY_HIDDEN: {
    severity: 'error',
    remedy:
      'If this database never loses an acknowledged commit, set assumeNoLostWrites: true. Otherwise use another store.',
  },
  COMMITS_MAY_BE_LOST: {
    severity: 'error',
    remedy:
      'If you accept that, do nothing. After a crash, new processes wait as they do after a restart, and your app can lose ' +
      'rows.',
  },
  REGISTRY_UNREADABLE: {
    severity: 'error',
    remedy: `Find out what wrote it. ${seeDocs('operations/problems', 'The registry is unreadable')}`,
  },
  STORE_REFUSES: {
    severity: 'error',
    remedy: "Fix the cause in the server's reply.",
  },
  EVICTION: {
    severity: 'error',
    remedy:
      'Set maxmemory-policy to noeviction or a volatile-* policy, or keep leases and the cache in different Redis servers.',
  },
  EVICTION_UNKNOWN: {
    severity: 'warning',
    remedy: 'Ask the operator of Redis whether maxmemory-policy is noeviction or volatile-*.',
  },
  REPLICAS_UNPROVEN: {
    severity: 'error',
    remedy:
      'Set minReplicas: 1 in every process, and min-replicas-to-write 1 on every server. If no replica is ever promoted, ' +
      `accept this finding with --accept REPLICAS_UNPROVEN. ${seeDocs('stores/redis', 'Sentinel and failover')}`,
  },
  REPLICAS_TOO_FEW: {
    severity: 'error',
    remedy: 'Restore the missing replicas, or lower minReplicas.',
  },
  NOT_PERSISTENT: {
    severity: 'warning',
    remedy:
      'If you accept that, do nothing: after each restart of Redis, new processes wait as they do after a wipe. Otherwise ' +
      'turn on appendonly.',
  },
  CLOCK_DIFFERENCE: {
    severity: 'warning',
    remedy:
      'Synchronize both clocks with NTP. The library corrects the difference, but with strictClock the app refuses to start.',
  },
  LAYOUT_DIFFERS: {
    severity: 'error',
    remedy:
      'Use the layout, epoch and worker ID range of the other processes, or give the app its own namespace.',
  },
  TIMING_DIFFERS: {
    severity: 'warning',
    remedy:
      'Use the same values in all processes. The namespace keeps the longest ones. Shortening them takes several steps. ' +
      seeDocs('operations/upgrading'),
  },
  NAMESPACE_FULL: {
    severity: 'error',
    remedy: 'Run fewer processes, shorten the window, or use more worker bits in a new namespace.',
  },
  NAMESPACE_NEARLY_FULL: {
    severity: 'warning',
    remedy:
      'Rolling deploys and crashes need free worker IDs. Run fewer processes, shorten the window, or use more worker bits ' +
      'in a new namespace.',
  },
  NAMESPACE_NEW: {
    severity: 'warning',
    remedy:
      'If the namespace is new, npx nestjs-snowflake-cli init --help shows how to declare it before the first startup.',
  },
  NAMESPACE_TWICE: {
    severity: 'error',
    remedy:
      'Set the schema of the DataSource, or one search_path, for every process of the namespace. If they are separate ID ' +
      'spaces, such as one per tenant, give each its own namespace, or accept this finding with --accept NAMESPACE_TWICE.',
  },
  GRANTS_WAIT: {
    severity: 'warning',
    remedy: 'Let new processes wait. Give acquireTimeoutMs and the startup probe enough time.',
  },
  DRIVER_ROUNDS: {
    severity: 'error',
    remedy: 'Change the driver setting that the message names.',
  },
  COLUMNS_NOT_FOUND: {
    severity: 'warning',
    remedy:
      'Pass the DataSource that has the entities of the app. Run the doctor again when the migrations have created the tables.',
  },
  COLUMN_TYPE: {
    severity: 'error',
    remedy: `Migrate the column to bigint. ${seeDocs('guides/migrating-from-auto-increment')}`,
  },
  KEY_DEFAULT: {
    severity: 'warning',
    remedy:
      'Remove the default when every version of the app sets the key, so that the database refuses a row without an ID. ' +
      `${seeDocs('guides/migrating-from-auto-increment')} Until then, accept this finding with --accept KEY_DEFAULT.`,
  },
  CASCADE_TO_CHILD_ENTITY: {
    severity: 'warning',
    remedy:
      "Set nullable: false on the relation, or deferrable: 'INITIALLY DEFERRED' on PostgreSQL and SQLite. Or save the row of the child " +
      'entity first.',
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

/** Makes a finding. @param instead replaces the severity or the remedy of its kind */
export function finding(
  code: FindingCode,
  problem: string,
  instead: Partial<Pick<Finding, 'severity' | 'remedy'>> = {},
): Finding {
  const { severity, remedy } = FINDING_KINDS[code];
  return { code, severity, problem, remedy, ...instead };
}

/** Makes the finding of a call of the store that failed. */
export function findingOf({ code, message }: SnowflakeError): Finding {
  return finding(codeOf(code), message);
}

function codeOf(code: string): FindingCode {
  if (code === 'SNOWFLAKE_STORE_CORRUPT') return 'REGISTRY_UNREADABLE';
  if (code === 'SNOWFLAKE_INVALID_OPTION') return 'OPTIONS_INVALID';
  return code === 'SNOWFLAKE_STORE_REJECTED' ? 'STORE_REFUSES' : 'STORE_UNREACHABLE';
}

/** The description of a store, which stays readable even if its namespace is also the user name in the URL. */
const STORE = /(\b[a-z]+ namespace "[\w.:-]{1,128}")/;

/** Returns the finding with all secrets redacted. */
export function withoutSecrets({ problem, remedy, ...rest }: Finding, secrets: Redaction): Finding {
  const cleaned = problem.split(STORE).map((part, index) => (index % 2 === 1 ? part : secrets.clean(part)));
  return { ...rest, problem: cleaned.join(''), remedy: secrets.remove(remedy) };
}
