import { rootCertificates } from 'node:tls';
import { inspect } from 'node:util';
import { StoreRejectedError } from 'nestjs-snowflake/standalone';
import type { SqlLeaseStoreOptions } from 'nestjs-snowflake/sql';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { databaseFor } from '../../support/servers/index.js';
import { firstRequest, granted } from '../redis-store/requests.js';
import { destroyFrozen, TLS_MOMENTS } from './support/frozen-calls.js';
import { Stores } from './support/stores.js';
import { PASSWORD, type TlsKind, TlsServer } from './support/tls-servers.js';

const KINDS: readonly TlsKind[] = ['PostgreSQL', 'MariaDB'];
const START_WITHIN_MS = 120_000;
const OTHER_CA = rootCertificates[0]!;
const servers = new Map<TlsKind, TlsServer>();

beforeAll(async () => {
  const started = await Promise.all(KINDS.map((kind) => TlsServer.start(kind)));
  for (const server of started) servers.set(server.kind, server);
}, START_WITHIN_MS);
afterAll(() => Promise.all([...servers.values()].map((server) => server.stop())), START_WITHIN_MS);

describe.each(KINDS)('a store on %s', (kind) => {
  const stores = new Stores();
  let server: TlsServer;
  let ca: string;
  let namespaces = 0;

  beforeEach(() => {
    server = servers.get(kind)!;
    ({ ca } = server.certificates);
    namespaces += 1;
  });
  afterEach(() => stores.close());

  type Database = Omit<SqlLeaseStoreOptions, 'namespace'>;
  const open = (database: Database): ReturnType<Stores['open']> =>
    stores.open({ ...database, namespace: `namespace-${namespaces}`, createTable: true });
  const workerIdFrom = async (store: ReturnType<Stores['open']>, holder = 'first'): Promise<number> =>
    (await granted(store.lease(firstRequest(holder)))).workerId;
  const leased = (database: Database): Promise<number> => workerIdFrom(open(database));
  const options = (more: object): DataSourceOptions => ({ type: server.type, ...more }) as DataSourceOptions;

  /** Expects an error that an operator can read, and that shows no secret. */
  async function expectRejection(database: Database, text: RegExp): Promise<void> {
    const failure: unknown = await leased(database).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreRejectedError);
    expect(failure).toHaveProperty('message', expect.stringMatching(text));
    const shown = inspect(failure, { depth: Infinity, showHidden: true });
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)]) expect(shown).not.toContain(secret);
  }

  describe('over TLS', () => {
    it('trusts the CA that the URL names, and logs in with a password that is percent-encoded', async () => {
      const query: Readonly<Record<string, string>> =
        kind === 'PostgreSQL'
          ? { sslmode: 'verify-full', sslrootcert: server.certificates.caFile }
          : { ssl: JSON.stringify({ ca, verifyIdentity: true }) };
      expect(await leased({ url: server.url(query) })).toBe(0);
    });

    it('trusts the CA in the options of the driver', async () => {
      expect(await leased({ url: server.url(), driverOptions: { ssl: { ca } } })).toBe(0);
    });

    it('trusts the CA in the options of TypeORM, and logs in with a password of any characters', async () => {
      expect(await leased({ dataSource: options({ ...server.login, ssl: { ca } }) })).toBe(0);
    });

    it('rejects a server whose certificate another CA has signed', async () => {
      const driverOptions = { ssl: { ca: OTHER_CA } };
      await expectRejection({ url: server.url(), driverOptions }, /certificate.*correct the CA/);
    });

    it('rejects a server without TLS instead of connecting without it', async () => {
      const url = await databaseFor(server.type, 'sql-without-tls');
      const text = /not support (SSL|secure).*Turn TLS on/;
      await expectRejection({ url, driverOptions: { ssl: { ca } } }, text);
      const query = kind === 'PostgreSQL' ? 'sslmode=verify-full' : 'ssl={"rejectUnauthorized":true}';
      await expectRejection({ url: `${url}?${query}` }, text);
    });

    it('connects to none of these servers without TLS (control)', async () => {
      await expectRejection({ url: server.url() }, /refuses this client/);
    });

    it.each(TLS_MOMENTS)('frees a call and its socket when the network becomes silent %s', async (moment) => {
      const database = { type: server.type, url: server.url(), ssl: { ca } };
      expect(await destroyFrozen(database, moment)).toBeInstanceOf(Error);
    });
  });

  describe('on a Unix socket', () => {
    it('finds the socket that the URL names', async () => {
      const [start] = server.url().split('localhost');
      const { port, database } = server.login;
      const urls =
        kind === 'PostgreSQL'
          ? [
              `${start}/${database}?host=${server.socket}&port=${port}`,
              `${start}${encodeURIComponent(server.socket)}:${port}/${database}`,
            ]
          : [server.url({ socketPath: server.socket })];
      for (const url of urls) expect(await leased({ url })).toBe(urls.indexOf(url));
    });

    it('finds the socket that the options name', async () => {
      const path = kind === 'PostgreSQL' ? { host: server.socket } : { socketPath: server.socket };
      expect(await leased({ dataSource: options({ ...server.login, ...path }) })).toBe(0);
      if (kind === 'MariaDB') expect(await leased({ url: server.url(), driverOptions: path })).toBe(1);
    });
  });

  describe('under replication', () => {
    const replicated = (ofMaster: object, beside: object): DataSourceOptions =>
      options({ replication: { master: { ...server.login, ...ofMaster }, slaves: [] }, ...beside });

    it('uses the TLS options that TypeORM uses when both the master and the DataSource have some', async () => {
      const [used, unused] = [{ ssl: { ca } }, { ssl: { ca: OTHER_CA } }];
      const dataSource = kind === 'PostgreSQL' ? replicated(used, unused) : replicated(unused, used);
      await new DataSource(dataSource).initialize().then((typeOrm) => typeOrm.destroy());
      expect(await leased({ dataSource })).toBe(0);
    });

    it.each([
      ['the master', true],
      ['the DataSource', false],
    ])('connects with TLS when only %s asks for it', async (_place, isMaster) => {
      const ssl = { ssl: { ca } };
      const dataSource = isMaster ? replicated(ssl, {}) : replicated({}, ssl);
      expect(await leased({ dataSource })).toBe(0);
    });
  });

  describe('whose password changes', () => {
    let password: string;
    let asked: number;
    const current = async (): Promise<string> => {
      asked += 1;
      return password;
    };

    beforeEach(() => {
      password = PASSWORD;
      asked = 0;
    });
    afterEach(() => server.setPassword(PASSWORD));

    async function expectToFollow(database: Database): Promise<void> {
      const store = open(database);
      expect([await workerIdFrom(store, 'first'), await workerIdFrom(store, 'second')]).toEqual([0, 1]);
      expect(asked).toBe(1);
      password = 'rotated';
      await server.setPassword(password);
      await server.cutConnections();
      expect(await workerIdFrom(store, 'third')).toBe(2);
      expect(asked).toBe(2);
    }

    it('asks a function for the URL again at each connection', async () => {
      const url = async (): Promise<string> => server.url({}, await current());
      await expectToFollow({ url, driverOptions: { ssl: { ca } } });
    });

    it('asks a function for the options again at each connection', async () => {
      const dataSource = async (): Promise<DataSourceOptions> =>
        options({ ...server.login, password: await current(), ssl: { ca } });
      await expectToFollow({ dataSource });
    });

    it('asks a function for the password again at each connection', async () => {
      await expectToFollow({ dataSource: options({ ...server.login, password: current, ssl: { ca } }) });
    });

    it('rejects the password from before the change (control)', async () => {
      const database = { url: server.url(), driverOptions: { ssl: { ca } } };
      await leased(database);
      await server.setPassword('rotated');
      await expectRejection(database, /Correct the user name and password/);
    });
  });
});

it('names the authentication plugin that mysql2 lacks', async () => {
  const stores = new Stores();
  const { host, port, database } = servers.get('MariaDB')!.login;
  const url = `mariadb://signer:secret@${host}:${port}/${database}`;
  const lease = stores.open({ url, namespace: 'shop' }).lease(firstRequest('first'));
  await expect(lease).rejects.toThrow(StoreRejectedError);
  await expect(lease).rejects.toThrow(/client_ed25519.*authPlugins/);
  await stores.close();
});
