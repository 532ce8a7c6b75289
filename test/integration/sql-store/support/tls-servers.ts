import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { serverAccount } from '../../../support/servers/account.js';
import { type Certificates, makeCertificates } from '../../../support/servers/certificates.js';
import { type DatabaseServer, startMariaDb, startPostgres } from '../../../support/servers/index.js';
import { makeDirectory, removeDirectory } from '../../../support/servers/server-process.js';
import { waitFor } from '../../../support/wait.js';

export type TlsKind = 'PostgreSQL' | 'MariaDB';

/** Has what a URL, JSON or SQL could read as something else. */
export const PASSWORD = `p@ss:w/rd?#%&+ "é'\\`;
const USER = 'app';
const DATABASE = 'shop';
const WITHIN_MS = 20_000;

/** Where a user logs in, as TypeORM writes it. */
export interface Login {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

/** A server that accepts the user `app` over TCP only with TLS and a password, and also on a Unix socket. */
export class TlsServer {
  private constructor(
    readonly kind: TlsKind,
    readonly certificates: Certificates,
    private readonly server: DatabaseServer,
    private readonly desk: DataSource,
    private readonly folder: string,
  ) {}

  static async start(kind: TlsKind): Promise<TlsServer> {
    const account = serverAccount(kind === 'PostgreSQL' ? 'postgres' : 'mysql');
    const folder = makeDirectory('tls', account);
    const certificates = await makeCertificates(folder, account);
    const server = await (kind === 'PostgreSQL' ? startTlsPostgres : startTlsMariaDb)(certificates, folder);
    const desk = new DataSource({ type: TYPES[kind], url: server.url } as DataSourceOptions);
    await desk.initialize();
    for (const statement of FIRST_STATEMENTS[kind]) await desk.query(statement);
    return new TlsServer(kind, certificates, server, desk, folder);
  }

  get type(): 'postgres' | 'mariadb' {
    return TYPES[this.kind];
  }

  get login(): Login {
    const { port } = this.server;
    return { host: 'localhost', port, username: USER, password: PASSWORD, database: DATABASE };
  }

  /** The folder that has the socket of PostgreSQL; the file of that of MariaDB. */
  get socket(): string {
    return this.kind === 'PostgreSQL' ? this.folder : join(dirname(this.server.dataDirectory), 'server.sock');
  }

  url(query: Readonly<Record<string, string>> = {}, password = PASSWORD): string {
    const { port } = this.server;
    const user = `${USER}:${encodeURIComponent(password)}`;
    return `${this.type}://${user}@localhost:${port}/${DATABASE}?${new URLSearchParams(query)}`;
  }

  async setPassword(password: string): Promise<void> {
    for (const account of ACCOUNTS[this.kind])
      await this.desk.query(`ALTER USER ${account} ${SET[this.kind](password)}`);
  }

  /** Ends the connections of the user, and waits until the server has. */
  async cutConnections(): Promise<void> {
    const connections = (): Promise<{ id: string }[]> =>
      this.desk.query(
        this.kind === 'PostgreSQL'
          ? `SELECT pid AS id FROM pg_stat_activity WHERE usename = '${USER}'`
          : `SELECT id FROM information_schema.processlist WHERE user = '${USER}'`,
      );
    for (const { id } of await connections()) {
      if (this.kind === 'PostgreSQL') await this.desk.query(`SELECT pg_terminate_backend(${id})`);
      // One that has ended by itself is unknown to the server.
      else await this.desk.query(`KILL ${id}`).catch(() => undefined);
    }
    await waitFor('the connections to end', WITHIN_MS, async () => (await connections()).length === 0);
  }

  async stop(): Promise<void> {
    await this.desk.destroy();
    await this.server.stop();
    removeDirectory(this.folder);
  }
}

const TYPES = { PostgreSQL: 'postgres', MariaDB: 'mariadb' } as const;

/** MariaDB has another account for its socket. */
const ACCOUNTS: Readonly<Record<TlsKind, readonly string[]>> = {
  PostgreSQL: [USER],
  MariaDB: [`'${USER}'@'127.0.0.1'`, `'${USER}'@'localhost'`],
};

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const SET: Readonly<Record<TlsKind, (password: string) => string>> = {
  PostgreSQL: (password) => `PASSWORD ${quoted(password)}`,
  MariaDB: (password) => `IDENTIFIED BY ${quoted(password.replaceAll('\\', '\\\\'))}`,
};

const [overTcp = '', onSocket = ''] = ACCOUNTS.MariaDB;
const FIRST_STATEMENTS: Readonly<Record<TlsKind, readonly string[]>> = {
  PostgreSQL: [
    `CREATE USER ${USER} ${SET.PostgreSQL(PASSWORD)}`,
    `CREATE DATABASE ${DATABASE} OWNER ${USER}`,
  ],
  MariaDB: [
    `CREATE DATABASE ${DATABASE}`,
    `CREATE USER ${overTcp} ${SET.MariaDB(PASSWORD)} REQUIRE SSL`,
    `CREATE USER ${onSocket} ${SET.MariaDB(PASSWORD)}`,
    `CREATE USER 'signer'@'127.0.0.1' IDENTIFIED VIA ed25519 USING PASSWORD('secret')`,
    ...[overTcp, onSocket, `'signer'@'127.0.0.1'`].map((user) => `GRANT ALL ON ${DATABASE}.* TO ${user}`),
  ],
};

async function startTlsPostgres(
  { certificateFile, keyFile }: Certificates,
  folder: string,
): Promise<DatabaseServer> {
  const settings = {
    ssl: 'on',
    ssl_cert_file: certificateFile,
    ssl_key_file: keyFile,
    unix_socket_directories: folder,
  };
  const server = await startPostgres({ settings, passwordUsers: [USER] });
  const rules = join(server.dataDirectory, 'pg_hba.conf');
  await server.restart(() =>
    writeFileSync(rules, `hostnossl all ${USER} 127.0.0.1/32 reject\n${readFileSync(rules, 'utf8')}`),
  );
  return server;
}

function startTlsMariaDb({ caFile, certificateFile, keyFile }: Certificates): Promise<DatabaseServer> {
  const settings = {
    'ssl-ca': caFile,
    'ssl-cert': certificateFile,
    'ssl-key': keyFile,
    'plugin-load-add': 'auth_ed25519',
  };
  return startMariaDb({ settings });
}
