import { DataSource, type DataSourceOptions } from 'typeorm';
import {
  DURABLE_SETTINGS,
  type DatabaseServer,
  type DatabaseServerOptions,
  startMariaDb,
  startPostgres,
} from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';

export const REPLICATED_KINDS = ['PostgreSQL', 'MariaDB'] as const;
export type ReplicatedKind = (typeof REPLICATED_KINDS)[number];

const TIMEOUT_MS = 60_000;

interface Replication {
  readonly type: 'postgres' | 'mariadb';
  readonly start: (options?: DatabaseServerOptions) => Promise<DatabaseServer>;
  readonly primarySettings: Readonly<Record<string, string>>;
  readonly replicaSettings: Readonly<Record<string, string>>;
  /** Cuts the replica off: what the primary commits from then on is lost when it dies. */
  readonly stopStreaming: readonly string[];
  readonly promote: readonly string[];
  /** Whether the replica receives nothing any more. */
  readonly isCutOff: string;
}

const REPLICATION: Readonly<Record<ReplicatedKind, Replication>> = {
  PostgreSQL: {
    type: 'postgres',
    start: startPostgres,
    primarySettings: { wal_level: 'replica', max_wal_senders: '4' },
    replicaSettings: { hot_standby: 'on' },
    stopStreaming: ["ALTER SYSTEM SET primary_conninfo = ''", 'SELECT pg_reload_conf()'],
    isCutOff: 'SELECT count(*) = 0 AS yes FROM pg_stat_wal_receiver',
    promote: ['SELECT pg_promote(true, 30)'],
  },
  MariaDB: {
    type: 'mariadb',
    start: startMariaDb,
    primarySettings: { 'log-bin': 'binlog', 'server-id': '1' },
    replicaSettings: { 'server-id': '2', 'read-only': '1' },
    stopStreaming: ['STOP SLAVE IO_THREAD'],
    isCutOff: 'SELECT 1 AS yes',
    promote: ['STOP SLAVE', 'RESET SLAVE ALL', 'SET GLOBAL read_only = 0'],
  },
};

/** A primary and an asynchronous replica. */
export class ReplicatedDatabase {
  private constructor(
    private readonly kind: ReplicatedKind,
    readonly primary: DatabaseServer,
    readonly replica: DatabaseServer,
  ) {}

  static async start(kind: ReplicatedKind): Promise<ReplicatedDatabase> {
    const { type, start, primarySettings, replicaSettings } = REPLICATION[kind];
    const durable = DURABLE_SETTINGS[type];
    const primary = await start({ settings: { ...durable, ...primarySettings } });
    try {
      const replica = await start({ settings: { ...durable, ...replicaSettings }, replicaOf: primary });
      return new ReplicatedDatabase(kind, primary, replica);
    } catch (error) {
      await primary.stop();
      throw error;
    }
  }

  /** Options of a DataSource on a server, or on what passes connections on to one. */
  options({ port, url }: { readonly port: number; readonly url?: string }): DataSourceOptions {
    const address = new URL(url ?? this.primary.url);
    address.port = String(port);
    return { type: REPLICATION[this.kind].type, url: address.href };
  }

  async query(server: Pick<DatabaseServer, 'port' | 'url'>, sql: string): Promise<Record<string, unknown>[]> {
    const admin = await new DataSource(this.options(server)).initialize();
    try {
      return await admin.query(sql);
    } finally {
      await admin.destroy();
    }
  }

  /** Waits until the replica has what the primary has committed. */
  async untilReplicated(sql: string): Promise<void> {
    const wanted = JSON.stringify(await this.query(this.primary, sql));
    await waitFor(`the replica to have ${wanted}`, TIMEOUT_MS, async () => {
      const found = await this.query(this.replica, sql).catch(() => undefined);
      return JSON.stringify(found) === wanted;
    });
  }

  /** From now on the replica receives nothing. */
  async cutOff(): Promise<void> {
    const { stopStreaming, isCutOff } = REPLICATION[this.kind];
    for (const statement of stopStreaming) await this.query(this.replica, statement);
    await waitFor('the replica to be cut off', TIMEOUT_MS, async () => {
      const [row] = await this.query(this.replica, isCutOff);
      return Boolean(row?.['yes']);
    });
  }

  /** The primary dies, and the replica takes over. */
  async failOver(): Promise<void> {
    await this.primary.crash();
    for (const statement of REPLICATION[this.kind].promote) await this.query(this.replica, statement);
  }

  async stop(): Promise<void> {
    await Promise.all([this.primary.stop(), this.replica.stop()]);
  }
}
