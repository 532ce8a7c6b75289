import { Redis } from 'ioredis';
import { type Connection, createConnection } from 'mysql2/promise';
import pg from 'pg';
import {
  databaseFor,
  startPostgres,
  startRedis,
  startSentinel,
  type RedisServer,
} from '../../../../support/servers/index.js';
import { waitFor } from '../../../../support/wait.js';
import type { Places } from './places.js';

const USER = 'app';
const MARIADB_ACCOUNT = `'${USER}'@'127.0.0.1'`;
const TIMEOUT_MS = 60_000;
const STATEMENT_WITHIN_MS = 30_000;

type Stop = () => Promise<void>;

/** Servers that require a password, each in its own way. */
export class GuardedServers {
  private constructor(
    readonly places: Places,
    private readonly password: string,
    private readonly mariadbUrl: string,
    private readonly stops: readonly Stop[],
  ) {}

  /** @param password of the user `app` and of the default user; `sentinelPassword` of the Sentinel */
  static async start(password: string, sentinelPassword: string): Promise<GuardedServers> {
    const stops: Stop[] = [];
    const redis = async (...args: string[]): Promise<RedisServer> => {
      const server = await startRedis({ args });
      stops.push(() => server.stop());
      return server;
    };
    try {
      const master = await redis('--requirepass', password);
      await addRedisUser(master.port, password);
      const sentinel = await startSentinel(master, { password: sentinelPassword, masterPassword: password });
      stops.push(() => sentinel.stop());
      // A single node of a cluster can't learn its address from others.
      const cluster = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'];
      const node = await redis('--requirepass', password, ...cluster);
      await addRedisUser(node.port, password);
      await makeCluster(node.port, password);
      // Like old servers and some proxies, which refuse the unknown command and repeat its arguments.
      const echo = await redis('--rename-command', 'HELLO', '', '--rename-command', 'AUTH', '');
      const postgres = await startPostgres({ passwordUsers: [USER] });
      stops.push(() => postgres.stop());
      await addPostgresUser(postgres.url, password);
      const mariadbUrl = await databaseFor('mariadb', 'secrets');
      const mariadb = await addMariaDbUser(mariadbUrl, password);
      const places = {
        user: USER,
        redis: master.port,
        sentinel: sentinel.port,
        master: sentinel.masterName,
        cluster: node.port,
        echo: echo.port,
        postgres: postgres.port,
        mariadb: mariadb.port,
        mariadbDatabase: mariadb.database,
      };
      return new GuardedServers(places, password, mariadbUrl, stops);
    } catch (error) {
      await stopAll(stops);
      throw error;
    }
  }

  /** Gives the user `app` another password everywhere, and ends its connections: as when passwords are rotated. */
  async changePassword(to: string): Promise<void> {
    const { redis, cluster, postgres } = this.places;
    for (const port of [redis, cluster]) {
      await asRedisAdmin(port, this.password, async (admin) => {
        await admin.call('ACL', 'SETUSER', USER, 'resetpass', `>${to}`);
        await admin.call('CLIENT', 'KILL', 'USER', USER);
      });
    }
    await asMariaDbAdmin(this.mariadbUrl, async (admin) => {
      await admin.query(`ALTER USER ${MARIADB_ACCOUNT} IDENTIFIED BY ?`, [to]);
      await admin.query(`KILL USER ${USER}`);
    });
    await asPostgresAdmin(`postgres://postgres@127.0.0.1:${postgres}/postgres`, async (admin) => {
      await admin.query(`ALTER ROLE ${USER} PASSWORD ${pg.escapeLiteral(to)}`);
      await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${USER}'`);
    });
  }

  stop(): Promise<void> {
    return stopAll(this.stops);
  }
}

async function stopAll(stops: readonly Stop[]): Promise<void> {
  await Promise.all(stops.map((stop) => stop()));
}

async function asRedisAdmin(
  port: number,
  password: string,
  task: (admin: Redis) => Promise<unknown>,
): Promise<void> {
  const admin = new Redis({ host: '127.0.0.1', port, password });
  await task(admin).finally(() => admin.disconnect());
}

function addRedisUser(port: number, password: string): Promise<void> {
  return asRedisAdmin(port, password, (admin) =>
    admin.call('ACL', 'SETUSER', USER, 'on', `>${password}`, '~*', '+@all'),
  );
}

function makeCluster(port: number, password: string): Promise<void> {
  return asRedisAdmin(port, password, async (admin) => {
    await admin.cluster('ADDSLOTSRANGE', 0, 16_383);
    await waitFor('the cluster to serve', TIMEOUT_MS, async () =>
      (await admin.cluster('INFO')).includes('cluster_state:ok'),
    );
  });
}

async function asPostgresAdmin(url: string, task: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: STATEMENT_WITHIN_MS,
    query_timeout: STATEMENT_WITHIN_MS,
  });
  await admin.connect();
  await task(admin).finally(() => admin.end());
}

function addPostgresUser(url: string, password: string): Promise<void> {
  return asPostgresAdmin(url, async (admin) => {
    await admin.query(`CREATE ROLE ${USER} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
    await admin.query(`GRANT CREATE ON SCHEMA public TO ${USER}`);
  });
}

async function addMariaDbUser(url: string, password: string): Promise<{ port: number; database: string }> {
  const { port, pathname } = new URL(url);
  const database = pathname.slice(1);
  await asMariaDbAdmin(url, async (admin) => {
    await admin.query(`CREATE OR REPLACE USER ${MARIADB_ACCOUNT} IDENTIFIED BY ?`, [password]);
    await admin.query(`GRANT ALL PRIVILEGES ON ${database}.* TO ${MARIADB_ACCOUNT}`);
  });
  return { port: Number(port), database };
}

async function asMariaDbAdmin(url: string, task: (admin: Connection) => Promise<unknown>): Promise<void> {
  const admin = await createConnection({ uri: url, connectTimeout: STATEMENT_WITHIN_MS });
  await task(admin).finally(() => admin.destroy());
}
