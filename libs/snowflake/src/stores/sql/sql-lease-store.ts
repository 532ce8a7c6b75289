import { StoreCorruptError } from '../../core/errors/lease-errors.js';
import { systemClock } from '../../core/clock/system-clock.js';
import type {
  BackfillReply,
  BackfillRequest,
  CallDeadline,
  LeaseReply,
  LeaseRequest,
  LeaseStore,
  RegistrySnapshot,
  ReleaseReply,
  ReleaseRequest,
  StoreSettings,
} from '../../lease/lease-store.js';
import { checkBackfillRequest, checkLeaseRequest, checkReleaseRequest } from '../check-request.js';
import { backfillTransaction } from '../protocol/backfill-transaction.js';
import { leaseTransaction, releaseTransaction } from '../protocol/lease-transaction.js';
import { execute } from '../protocol/registry-calls.js';
import { readSnapshot } from '../registry-format.js';
import { type ShowsOptions, STORE_OPTIONS } from '../store-options.js';
import {
  kindOf,
  requireSharedDatabase,
  SQL_MECHANISMS,
  type SqlMechanisms,
} from '../../kit/sql/dialects/dialects.js';
import { IdDefault } from './id-default.js';
import { connectionNameOf, LEASE_TABLES, type LeaseTableName } from './lease-tables.js';
import type { SqlContent } from '../../kit/sql/content.js';
import { OwnConnection } from '../../kit/sql/own-connection.js';
import type { Access } from '../../kit/sql/session.js';
import { isDatabaseOnLoopback } from '../../kit/sql/database/database-address.js';
import { dataSourceOptions } from '../../kit/sql/database/database-choice.js';
import { checkSqlOptions, type SqlLeaseStoreOptions, type SqlSettings } from './sql-options.js';
import { SqlRegistry } from './sql-registry.js';
import { SqlSnapshot } from './sql-snapshot.js';
import { releaseAtOnce, writeAtOnce } from './write-at-once.js';

/** Keeps leases in a database with transactions. */
export class SqlLeaseStore implements LeaseStore, ShowsOptions<'sql', SqlSettings> {
  readonly renewable = true;
  readonly isOnLoopback: boolean;

  /** Is private, so that printing the store does not show the password. */
  readonly #settings: SqlSettings;
  private readonly connection: OwnConnection<LeaseTableName, SqlRegistry>;
  private readonly idDefault: IdDefault;
  /** What the latest call has read. */
  private hasIdDefault = false;

  constructor(options: SqlLeaseStoreOptions, mechanisms: SqlMechanisms = SQL_MECHANISMS) {
    const settings = checkSqlOptions(options);
    this.#settings = settings;
    const { dataSource, namespace } = settings;
    const known = typeof dataSource === 'function' ? undefined : dataSourceOptions(dataSource);
    if (known) requireSharedDatabase(known, LEASE_TABLES.use);
    // A function of the app gives the address later, and may give another one each time.
    this.isOnLoopback = known !== undefined && isDatabaseOnLoopback(known);
    const kind = known ? kindOf(known) : 'sql';
    const describe = (place?: string): string => describeSql(kind, namespace, place);
    this.connection = new OwnConnection(describe, leaseContent(settings), systemClock, mechanisms);
    this.idDefault = new IdDefault(this.connection, settings.tableName);
  }

  /** Names the place of the tables once the store has connected. */
  get description(): string {
    return this.connection.description;
  }

  open({ callTimeoutMs }: StoreSettings): void {
    this.connection.open(callTimeoutMs);
  }

  async lease(request: LeaseRequest, deadline?: CallDeadline): Promise<LeaseReply> {
    checkLeaseRequest(request);
    const reply = await this.leaseOfProcess(request, deadline);
    const isHeld = reply.outcome === 'kept' || reply.outcome === 'new';
    // This process has its lease, whatever becomes of that.
    if (this.hasIdDefault && isHeld) void this.idDefault.renew(request).catch(() => undefined);
    return reply;
  }

  private async leaseOfProcess(
    request: LeaseRequest,
    deadline: CallDeadline | undefined,
  ): Promise<LeaseReply> {
    // A switch of a process that runs is no newcomer's, although it has no claim.
    const access = request.claim || request.preferLongestOffline ? 'keep' : 'enter';
    const early = await this.leaseByProposal(request, deadline, access);
    if (early) return early;
    const work = async (registry: SqlRegistry) => {
      const reply = await execute(leaseTransaction(request), registry.expect(request));
      this.hasIdDefault = registry.hasIdDefault;
      return reply;
    };
    return this.connection.transact(work, deadline, { access });
  }

  /**
   * Lets the protocol decide by a reading without a lock. If it only renews a lease or grants a worker ID, or writes nothing, one message
   * does that. Returns `undefined` if the decision needs the lock.
   */
  private async leaseByProposal(
    request: LeaseRequest,
    deadline: CallDeadline | undefined,
    access: Access,
  ): Promise<LeaseReply | undefined> {
    // Which worker ID a switch or a retry gets depends on rows that others may write meanwhile.
    if (request.preferLongestOffline || (request.retry && !request.claim)) return undefined;
    const decision = await this.connection.transact(
      async (registry) => {
        if (!registry.place.dialect.returnsFromWrites) return undefined;
        const snapshot = SqlSnapshot.of(registry);
        const reply = await execute(leaseTransaction(request), snapshot.expect(request));
        this.hasIdDefault = snapshot.hasIdDefault;
        return snapshot.isFinal ? { reply } : { proposal: snapshot.proposal(request, reply) };
      },
      deadline,
      { access: 'read', isOneMessage: true },
    );
    const { reply, proposal } = decision ?? {};
    if (!proposal) return reply;
    const write = ({ statements, place }: SqlRegistry) => writeAtOnce(statements, place, proposal);
    return this.connection.transact(write, deadline, { access, isOneMessage: true });
  }

  async release(request: ReleaseRequest, deadline?: CallDeadline): Promise<ReleaseReply> {
    checkReleaseRequest(request);
    const early = ({ statements, place }: SqlRegistry) => releaseAtOnce(statements, place, request);
    const isReleased = await this.connection.transact(early, deadline, {
      access: 'keep',
      isOneMessage: true,
    });
    if (isReleased) return { outcome: 'released' };
    const work = async (registry: SqlRegistry) => {
      await registry.expectRelease(request).lock();
      return execute(releaseTransaction(request), registry);
    };
    const reply = await this.connection.transact(work, deadline, { access: 'keep' });
    if (reply.outcome === 'corrupt') throw new StoreCorruptError(this.description, reply.field, reply.stored);
    return reply;
  }

  async backfill(request: BackfillRequest, deadline?: CallDeadline): Promise<BackfillReply> {
    checkBackfillRequest(request);
    const work = (registry: SqlRegistry) => execute(backfillTransaction(request), registry);
    return this.connection.transact(work, deadline, { access: 'keep' });
  }

  async inspect(): Promise<RegistrySnapshot> {
    const snapshot = await this.connection.read(async (registry) => {
      const fields = new Map<string, string>(Object.entries((await registry.look()) ?? {}));
      const { nowMs } = await registry.server();
      for (const [workerId, stored] of await registry.storedRows()) fields.set(workerId, stored);
      return readSnapshot(fields, nowMs);
    });
    // A server that doesn't show its locks must not hide the rest.
    const newcomers = await this.connection.read((registry) => registry.newcomers()).catch(() => ({}));
    return { ...snapshot, ...newcomers };
  }

  [STORE_OPTIONS]() {
    return { kind: 'sql', options: this.#settings } as const;
  }

  reconnect(): void {
    this.connection.reconnect();
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

/** Returns the name of a store. @param place of its tables, e.g. `schema "public"` */
export function describeSql(kind: string, namespace: string, place?: string): string {
  return `${kind} ${place === undefined ? '' : `${place} `}namespace "${namespace}"`;
}

/** Returns what a lease store keeps. */
export function leaseContent(settings: SqlSettings): SqlContent<LeaseTableName, SqlRegistry> {
  const { namespace, dataSource, tableName, createTable, assumeNoLostWrites } = settings;
  return {
    dataSource,
    connectionName: connectionNameOf(namespace),
    tables: LEASE_TABLES,
    tableName,
    createTable,
    survivesDroppedTables: true,
    assumeNoLostWrites,
    registry: (statements, place) => new SqlRegistry(statements, { ...place, namespace }),
  };
}

/**
 * Leases worker IDs from a database: PostgreSQL, MySQL, MariaDB, or SQLite in a file. All processes of one `namespace` get
 * different worker IDs. The store needs two small tables: run the migration `CreateSnowflakeLeaseTables1767225600000`, or set
 * `createTable`.
 *
 * Each call changes data in one transaction on the store's own connection. A lock on the row of the namespace serializes these
 * transactions, and the time is that of the database's clock. What a call will write is read before it takes the lock where the database
 * can check, in the message that writes, that nothing has changed since. The store keeps the server's history ID with the leases. A failover, a
 * restored backup or a restart of the server changes the history ID: new processes then wait until every lease that may
 * have been lost has ended, and holders continue. New processes also wait if rows of worker IDs were restored or
 * removed. In a namespace for which nothing is stored, because it is new or was lost, they wait once. If you restore
 * data in a way that no history ID shows, run this before any process connects:
 *
 * ```sql
 * UPDATE snowflake_lease_namespace SET history_id = 'restored'
 * ```
 *
 * @throws InvalidOptionError if an option is missing, malformed or contradicts another
 * @example
 * ```ts
 * SnowflakeModule.forRootAsync({
 *   inject: [ConfigService],
 *   useFactory: (config: ConfigService) => ({
 *     store: sqlLeaseStore({ url: config.getOrThrow('DATABASE_URL'), namespace: 'shop', createTable: true }),
 *   }),
 * })
 * ```
 */
export function sqlLeaseStore(options: SqlLeaseStoreOptions): LeaseStore {
  return new SqlLeaseStore(options);
}
