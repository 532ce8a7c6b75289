import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { leaseStoreContract } from 'nestjs-snowflake/store';
import type { DatabaseOptions } from '../../../libs/snowflake/src/kit/sql/database/database-options.js';
import { firstRequest, granted } from '../../integration/redis-store/requests.js';
import type { TestDatabase } from '../../integration/sql-store/support/databases.js';
import { destroyFrozen, MOMENTS, TLS_MOMENTS } from '../../integration/sql-store/support/frozen-calls.js';
import { storesUnderTest } from '../../integration/sql-store/support/many-stores.js';
import { Stores } from '../../integration/sql-store/support/stores.js';
import { type TlsKind, TlsServer } from '../../integration/sql-store/support/tls-servers.js';
import { concurrentCases } from '../../support/concurrent-cases.js';
import { databaseFor } from '../../support/servers/index.js';
import { ROOT } from '../../docs/markdown.js';
import { Consumer, STEP_WITHIN_MS } from './consumer.js';

const KINDS: readonly TlsKind[] = ['PostgreSQL', 'MariaDB'];
/**
 * The drivers with a socket. Those of SQLite have none; `better-sqlite3` and old versions of `libsql` download a binary or compile
 * when they are installed, which no lab can rely on.
 */
const DRIVERS: readonly (readonly [name: string, kind: TlsKind])[] = [
  ['pg-oldest', 'PostgreSQL'],
  ['pg-newest', 'PostgreSQL'],
  ['mysql2-oldest', 'MariaDB'],
  ['mysql2-newest', 'MariaDB'],
];

/** The oldest and the newest driver of each kind, under names of their own. */
const PACKAGES = [
  '@coresql/mysql2-auth-ed25519@1',
  'mysql2-newest@npm:mysql2@*',
  'mysql2-oldest@npm:mysql2@2.2.5',
  'pg-newest@npm:pg@8',
  'pg-oldest@npm:pg@8.5.1',
];

const app = new Consumer();
const requireInApp = createRequire(join(app.folder, 'package.json'));
const servers = new Map<TlsKind, TlsServer>();
const stores = new Stores();

beforeAll(async () => {
  await app.install(...PACKAGES);
  const started = await Promise.all(KINDS.map((kind) => TlsServer.start(kind)));
  for (const server of started) servers.set(server.kind, server);
}, STEP_WITHIN_MS);
afterEach(() => stores.close());
afterAll(async () => {
  await Promise.all([...servers.values()].map((server) => server.stop()));
  app.remove();
}, STEP_WITHIN_MS);

type Database = DatabaseOptions & { readonly url: string };

/** A server that demands TLS. */
function secured(name: string, kind: TlsKind): Database {
  const server = servers.get(kind)!;
  const { ca } = server.certificates;
  return { type: server.type, url: server.url(), ssl: { ca }, driver: requireInApp(name) };
}

/** A server without TLS. */
async function plain(name: string, kind: TlsKind): Promise<Database> {
  const { type } = servers.get(kind)!;
  return { type, url: await databaseFor(type, 'driver-versions'), driver: requireInApp(name) };
}

describe.each(DRIVERS)('the driver %s', (name, kind) => {
  leaseStoreContract(
    () => storesUnderTest({ options: secured(name, kind) } as unknown as TestDatabase),
    concurrentCases(4),
  );

  it('reports a wrong password as a rejection', async () => {
    const url = servers.get(kind)!.url({}, 'wrong');
    const dataSource = { ...secured(name, kind), url };
    const lease = stores.open({ dataSource, namespace: 'shop' }).lease(firstRequest('first'));
    await expect(lease).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_REJECTED' });
  });

  it('reports a certificate that another CA has signed as a rejection', async () => {
    const dataSource = { ...secured(name, kind), ssl: { ca: rootCertificates[0] } };
    const lease = stores.open({ dataSource, namespace: 'shop' }).lease(firstRequest('first'));
    await expect(lease).rejects.toMatchObject({ code: 'SNOWFLAKE_STORE_REJECTED' });
  });

  it.each(MOMENTS)('frees a call and its socket when the network becomes silent %s', async (moment) => {
    expect(await destroyFrozen(await plain(name, kind), moment)).toBeInstanceOf(Error);
  });

  it.each(TLS_MOMENTS)('frees a call and its socket when TLS becomes silent %s', async (moment) => {
    expect(await destroyFrozen(secured(name, kind), moment)).toBeInstanceOf(Error);
  });
});

it.each(['mysql2-oldest', 'mysql2-newest'])(
  'logs in to MariaDB with ed25519 through a plugin that the app passes to %s',
  async (name) => {
    const { host, port, database } = servers.get('MariaDB')!.login;
    const plugin = requireInApp('@coresql/mysql2-auth-ed25519') as { default: () => unknown };
    const dataSource = {
      ...secured(name, 'MariaDB'),
      url: `mariadb://signer:secret@${host}:${port}/${database}`,
      extra: { authPlugins: { client_ed25519: plugin.default() } },
    };
    const store = stores.open({
      dataSource,
      namespace: `ed25519-${name}`,
      createTable: true,
    });
    expect((await granted(store.lease(firstRequest('first')))).workerId).toBe(0);
  },
);

it.each(['pg', 'mysql2'])('the oldest %s that is tried is the oldest that the library accepts', (name) => {
  const { peerDependencies } = manifest(join(ROOT, 'libs/snowflake'));
  const { version } = manifest(join(app.folder, 'node_modules', `${name}-oldest`));
  expect(peerDependencies?.[name]).toMatch(new RegExp(`^(\\^|>=)${version.replaceAll('.', '\\.')}$`));
});

function manifest(folder: string): { version: string; peerDependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
