import { StoreCorruptError } from '../../core/errors.js';
import { systemClock } from '../../core/system-clock.js';
import type {
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
  StoreSettings,
} from '../../lease/lease-store.js';
import { checkLeaseRequest, checkReleaseRequest } from '../check-request.js';
import { fromOfDeed, readSnapshot, writeRow } from '../registry-format.js';
import { requireSharedDatabase } from './dialects.js';
import { LeaseCall } from './lease-call.js';
import { SqlConnection } from './sql-connection.js';
import type { SqlDialect } from './sql-dialect.js';
import { checkSqlOptions, dataSourceOptions, type SqlLeaseStoreOptions } from './sql-options.js';
import type { SqlRegistry } from './sql-registry.js';
import { Unreadable } from './unreadable.js';

/** Leases in a database: transactions behind the port. Tests pass a change of dialect that decides what time it is. */
export class SqlLeaseStore implements LeaseStore {
  readonly description: string;
  readonly renewable = true;

  private readonly connection: SqlConnection;

  constructor(options: SqlLeaseStoreOptions, alter = (dialect: SqlDialect): SqlDialect => dialect) {
    const settings = checkSqlOptions(options);
    const { dataSource, namespace } = settings;
    if (typeof dataSource !== 'function') requireSharedDatabase(dataSourceOptions(dataSource));
    const kind = typeof dataSource === 'function' ? 'sql' : kindOf(dataSourceOptions(dataSource).type);
    this.description = `${kind} namespace "${namespace}"`;
    this.connection = new SqlConnection(this.description, settings, systemClock, alter);
  }

  open({ callTimeoutMs }: StoreSettings): void {
    this.connection.open(callTimeoutMs);
  }

  async lease(request: LeaseRequest): Promise<LeaseReply> {
    checkLeaseRequest(request);
    return this.connection.run(async (registry) => {
      try {
        return await new LeaseCall(registry, request).run();
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        return { outcome: 'corrupt', field: error.field, stored: error.stored };
      }
    });
  }

  async release(request: ReleaseRequest): Promise<ReleaseReply> {
    checkReleaseRequest(request);
    const { workerId, deed, lastUsedMs } = request;
    return this.read(async (registry) => {
      await registry.lock();
      const row = await registry.row(workerId);
      if (!row || deed === '' || row.deed !== deed) return { outcome: 'gone' };
      // Never lower than the start of the grant: below it are timestamps of earlier holders.
      const reservedUntilMs = Math.max(lastUsedMs, fromOfDeed(deed) ?? 0);
      await registry.writeRow({ workerId, reservedUntilMs, deed: '' }, row);
      return { outcome: 'released' };
    });
  }

  async inspect(): Promise<RegistrySnapshot> {
    return this.read(async (registry) => {
      const fields = new Map<string, string>(Object.entries((await registry.lock()) ?? {}));
      for (const row of await registry.allRows()) fields.set(String(row.workerId), writeRow(row));
      return readSnapshot(fields, await registry.readClock(), this.description);
    });
  }

  reconnect(): void {
    this.connection.reconnect();
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private read<Reply>(work: (registry: SqlRegistry) => Promise<Reply>): Promise<Reply> {
    return this.connection.run(async (registry) => {
      try {
        return await work(registry);
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        throw new StoreCorruptError(this.description, error.field, error.stored);
      }
    });
  }
}

/** What people call a database, rather than its driver. */
function kindOf(type: string): string {
  return type === 'better-sqlite3' ? 'sqlite' : type;
}

/**
 * Leases in a database of TypeORM: PostgreSQL, MySQL, MariaDB, or SQLite in a file. All processes of one `namespace`
 * get different worker IDs. Needs two small tables: run the migration `CreateSnowflakeLeaseTables1767225600000`, or
 * set `createTable`.
 *
 * Each call is one transaction that the row of the namespace serialises, on a connection of the store's own; time is
 * the database's. A committed lease is not forgotten, so nothing waits at the first start and
 * `unknownHistory` has no meaning here: a namespace of which nothing is stored is new. Whoever puts an older state of
 * the database back (a backup, or a replica that had not received everything) says so before any process connects:
 *
 * ```sql
 * UPDATE snowflake_lease_namespace SET reign = 'restored'
 * ```
 *
 * The next call then waits until every lease that may have been forgotten has ended.
 *
 * @throws InvalidOptionError when an option is missing, malformed or contradicts another
 */
export function sqlLeaseStore(options: SqlLeaseStoreOptions): LeaseStore {
  return new SqlLeaseStore(options);
}
