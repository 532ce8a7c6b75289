import { readFileSync, writeFileSync } from 'node:fs';
import { StoreRejectedError } from '../../../snowflake/src/core/errors/lease-errors.js';
import { SnowflakeError } from '../../../snowflake/src/core/errors/snowflake-error.js';
import type { LeaseStore } from '../../../snowflake/src/lease/lease-store.js';
import { JuteWriter } from '../../src/zookeeper/jute.js';
import { create, type ZooRequest } from '../../src/zookeeper/messages.js';
import { ZookeeperLine } from '../../src/zookeeper/zookeeper-line.js';
import type { ZookeeperLeaseStoreOptions } from '../../src/zookeeper/zookeeper-options.js';
import { makeCertificates, makeClientCertificate } from '../../../../test/support/servers/certificates.js';
import { startZookeeper, type ZookeeperServer } from '../../../../test/support/servers/index.js';
import { makeDirectory, removeDirectory } from '../../../../test/support/servers/server-process.js';
import { waitFor } from '../../../../test/support/wait.js';
import { firstGrant, freshNamespace, leaseFor, openStore } from './support/stores.js';

const PASSWORD = 's3cret/@9f27c1';
const USER = { name: 'shop', password: PASSWORD };
const RIGHTS = { r: 1, w: 2, c: 4 };
const WITHIN_MS = 20_000;
const stores: LeaseStore[] = [];

afterEach(async () => void (await Promise.all(stores.splice(0).map((store) => store.close()))));

function storeWith(options: ZookeeperLeaseStoreOptions): LeaseStore {
  const store = openStore({ assumeNoLostWrites: true, ...options });
  stores.push(store);
  return store;
}

async function errorOf(call: Promise<unknown>): Promise<Error> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof Error)) throw new Error('expected an error');
  expect(error.message).not.toContain(PASSWORD);
  return error;
}

describe('a ZooKeeper with users', () => {
  let zookeeper: ZookeeperServer;

  beforeAll(async () => {
    zookeeper = await startZookeeper({ members: 1 });
  });
  afterAll(() => zookeeper.stop());

  const optionsFor = (namespace: string, user?: typeof USER): ZookeeperLeaseStoreOptions => ({
    connectString: zookeeper.connectString,
    namespace,
    ...(user && { user }),
  });

  /** Creates the node of a namespace for {@link USER}, with these rights of it. */
  async function createRoot(namespace: string, rights: readonly (keyof typeof RIGHTS)[]): Promise<void> {
    const [host = '', port] = zookeeper.connectString.split(':');
    const line = new ZookeeperLine({ address: { host, port: Number(port) }, tls: undefined, user: USER });
    await line.ready;
    const sum = rights.reduce((all, right) => all + RIGHTS[right], 0);
    const body = new JuteWriter().text(`/snowflake/${namespace}`).text('').int(1).int(sum);
    const request: ZooRequest = { op: 1, body: body.text('auth').text('').int(0).done() };
    const [, reply] = await line.exchange([create('/snowflake', '', 'everybody'), request]);
    expect(reply?.error).toBe(0);
    line.end(new Error('done'));
  }

  it('serves the user that owns the nodes, and refuses others and no user', async () => {
    const namespace = freshNamespace();
    const store = storeWith(optionsFor(namespace, USER));
    const { workerId, fencingToken, untilMs } = await firstGrant(store);
    const kept = await leaseFor(store, 2, { claim: { workerId, fencingToken, untilMs } });
    if (kept.outcome !== 'kept') throw new Error(`expected a renewal: ${JSON.stringify(kept)}`);
    expect((await store.inspect()).rows).toHaveLength(1);
    const release = { workerId, fencingToken: kept.fencingToken, lastUsedMs: 0 };
    expect(await store.release(release)).toEqual({ outcome: 'released' });
    for (const other of [
      undefined,
      { name: 'shop', password: 'wrong-1' },
      { name: 'other', password: PASSWORD },
    ]) {
      const refused = storeWith(optionsFor(namespace, other));
      expect(await errorOf(leaseFor(refused, 3))).toBeInstanceOf(StoreRejectedError);
    }
  });

  it('serves a user who may read, write and create', async () => {
    const namespace = freshNamespace();
    await createRoot(namespace, ['r', 'w', 'c']);
    expect(await firstGrant(storeWith(optionsFor(namespace, USER)))).toMatchObject({ workerId: 0 });
  });

  it('refuses a user who may not create, and the error has the node and the rights', async () => {
    const namespace = freshNamespace();
    await createRoot(namespace, ['r', 'w']);
    const error = await errorOf(firstGrant(storeWith(optionsFor(namespace, USER))));
    expect(error).toBeInstanceOf(StoreRejectedError);
    expect(error.message).toContain(`/snowflake/${namespace}`);
    expect(error.message).toContain('rwc');
  });
});

describe('a ZooKeeper with client certificates', () => {
  let directory: string;
  let zookeeper: ZookeeperServer;
  let ca: string;

  beforeAll(async () => {
    directory = makeDirectory('zookeeper-tls');
    const certificates = await makeCertificates(directory, {});
    ca = certificates.ca;
    await makeClientCertificate(directory, 'client', '/CN=shop');
    const keyStore = `${directory}/key-store.pem`;
    writeFileSync(keyStore, read('server.key') + read('server.pem'));
    zookeeper = await startZookeeper({
      members: 1,
      secure: true,
      settings: {
        serverCnxnFactory: 'org.apache.zookeeper.server.NettyServerCnxnFactory',
        'ssl.keyStore.location': keyStore,
        'ssl.keyStore.type': 'PEM',
        'ssl.trustStore.location': certificates.caFile,
        'ssl.trustStore.type': 'PEM',
        'ssl.clientAuth': 'need',
      },
    });
    // It listens before it serves.
    await waitFor('ZooKeeper to serve', WITHIN_MS, () =>
      firstGrant(storeWith({ ...options(client()), namespace: 'probe' })).catch(() => undefined),
    );
  });
  afterAll(async () => {
    await zookeeper?.stop();
    removeDirectory(directory);
  });

  const read = (name: string): string => readFileSync(`${directory}/${name}`, 'utf8');
  const options = (tls?: ZookeeperLeaseStoreOptions['tls']): ZookeeperLeaseStoreOptions => ({
    connectString: zookeeper.connectString.replace('127.0.0.1', 'localhost'),
    namespace: 'shop',
    ...(tls && { tls }),
  });
  const client = () => ({ ca, cert: read('client.pem'), key: read('client.key') });

  it('serves a client with a certificate, and asks for the mode of the server in the same way', async () => {
    expect(await firstGrant(storeWith(options(client())))).toMatchObject({ workerId: 0 });
    const wary = storeWith({ ...options(client()), assumeNoLostWrites: false });
    expect((await errorOf(leaseFor(wary, 2))).message).toContain('standalone');
  });

  it('does not serve a client without a certificate, or without TLS', async () => {
    expect(await errorOf(leaseFor(storeWith(options({ ca })), 1))).toBeInstanceOf(SnowflakeError);
    expect(await errorOf(leaseFor(storeWith(options()), 1))).toBeInstanceOf(Error);
  });

  it('gets nothing if its own certificate is not trusted, or has another name', async () => {
    const { cert, key } = client();
    for (const tls of [
      { cert, key },
      { ...client(), servername: 'other' },
    ]) {
      const error = await errorOf(leaseFor(storeWith(options(tls)), 1));
      expect(error).toBeInstanceOf(StoreRejectedError);
      expect(error.message).toContain('Correct the CA, the host name or the TLS options');
    }
  });
});
