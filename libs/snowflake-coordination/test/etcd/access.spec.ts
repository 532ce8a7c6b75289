import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { StoreRejectedError } from '../../../snowflake/src/core/errors/lease-errors.js';
import { leastRights } from '../../src/etcd/least-rights.js';
import {
  type Certificates,
  makeCertificates,
  makeClientCertificate,
} from '../../../../test/support/servers/certificates.js';
import { type EtcdServer, startEtcd } from '../../../../test/support/servers/index.js';
import { makeDirectory, removeDirectory } from '../../../../test/support/servers/server-process.js';
import { enableUsers, PASSWORD, urlOf } from './support/access.js';
import { Front } from './support/front.js';
import { firstGrant, leaseFor, openStore } from './support/stores.js';

const AUTHENTICATE = '/v3/auth/authenticate';

async function errorOf(call: Promise<unknown>): Promise<Error> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof Error)) throw new Error('expected an error');
  expect(error.message).not.toContain(PASSWORD);
  return error;
}

describe('an etcd with users', () => {
  let etcd: EtcdServer;
  let front: Front;

  beforeAll(async () => {
    etcd = await startEtcd();
    front = await Front.start(etcd.url);
    await enableUsers(etcd, leastRights('shop'), 'snowflake-shop');
  });
  afterAll(async () => {
    await front.close();
    await etcd.stop();
  });

  it('serves a user with the role that the page about etcd makes', async () => {
    const page = readFileSync('docs/stores/etcd-and-zookeeper.md', 'utf8');
    for (const command of leastRights('shop')) expect(page).toContain(command);
    const store = openStore({ url: urlOf(etcd.url, 'shop'), namespace: 'shop' });
    const { workerId, fencingToken, untilMs } = await firstGrant(store);
    const kept = await leaseFor(store, 2, { claim: { workerId, fencingToken, untilMs } });
    if (kept.outcome !== 'kept') throw new Error(`expected a renewal: ${JSON.stringify(kept)}`);
    expect((await store.inspect()).rows).toHaveLength(1);
    const release = { workerId, fencingToken: kept.fencingToken, lastUsedMs: 0 };
    expect(await store.release(release)).toEqual({ outcome: 'released' });
    await store.close();
  });

  it('refuses another namespace, and the error has the commands of the role', async () => {
    const store = openStore({ url: urlOf(etcd.url, 'shop'), namespace: 'other' });
    const error = await errorOf(firstGrant(store));
    expect(error).toBeInstanceOf(StoreRejectedError);
    for (const command of leastRights('other')) expect(error.message).toContain(command);
    await store.close();
  });

  it.each([
    ['a wrong password', () => urlOf(etcd.url, 'shop', 'wrong-1')],
    ['no user', () => etcd.url],
  ])('refuses %s', async (_, url) => {
    const store = openStore({ url: url(), namespace: 'shop' });
    expect(await errorOf(firstGrant(store))).toBeInstanceOf(StoreRejectedError);
    await store.close();
  });

  it('gets another token without a failed call after etcd has forgotten the one it has', async () => {
    const store = openStore({ url: urlOf(front.url, 'shop'), namespace: 'shop' });
    front.requests.length = 0;
    await leaseFor(store, 5);
    await leaseFor(store, 5);
    expect(front.count(AUTHENTICATE)).toBe(1);
    await etcd.control('--user', 'root:root', 'auth', 'disable');
    await etcd.control('auth', 'enable');
    await expect(leaseFor(store, 5)).resolves.toHaveProperty('outcome');
    expect(front.count(AUTHENTICATE)).toBe(2);
    await store.close();
  });

  it('serves a store again after a restart, without a failed call', async () => {
    const store = openStore({ url: urlOf(etcd.url, 'shop'), namespace: 'shop' });
    await leaseFor(store, 6);
    await etcd.members[0]!.kill();
    await etcd.members[0]!.start();
    await etcd.untilUp();
    await expect(leaseFor(store, 6)).resolves.toHaveProperty('outcome');
    await store.close();
  });
});

describe('an etcd with client certificates and users', () => {
  let directory: string;
  let certificates: Certificates;
  let etcd: EtcdServer;

  beforeAll(async () => {
    directory = makeDirectory('etcd-tls');
    certificates = await makeCertificates(directory, {});
    const client = await makeClientCertificate(directory, 'client', '/O=shop');
    await makeClientCertificate(directory, 'named', '/CN=shop');
    const { caFile, certificateFile, keyFile } = certificates;
    const server = ['--cert-file', certificateFile, '--key-file', keyFile];
    etcd = await startEtcd({
      args: [...server, '--client-cert-auth', '--trusted-ca-file', caFile],
      tls: { caFile, ...client },
    });
    await enableUsers(etcd, leastRights('shop'), 'snowflake-shop');
  });
  afterAll(async () => {
    await etcd?.stop();
    removeDirectory(directory);
  });

  const read = (name: string): string => readFileSync(`${directory}/${name}`, 'utf8');
  const storeWith = (certificate?: string) =>
    openStore({
      url: urlOf(etcd.url, 'shop'),
      namespace: 'shop',
      tls: {
        ca: certificates.ca,
        ...(certificate && { cert: read(`${certificate}.pem`), key: read(`${certificate}.key`) }),
      },
    });

  it('serves a certificate without a common name, and a password', async () => {
    const store = storeWith('client');
    expect(await firstGrant(store)).toMatchObject({ workerId: 0 });
    await store.close();
  });

  it('shows no secret of a store that has connected and is printed', async () => {
    const store = storeWith('client');
    await leaseFor(store, 7);
    const printed = `${inspect(store, { depth: 20, showHidden: true })} ${JSON.stringify(store)}`;
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), 'PRIVATE KEY', 'authorization']) {
      expect(printed).not.toContain(secret);
    }
    await store.close();
  });

  it('refuses a certificate with a common name, and the error tells what to do', async () => {
    const store = storeWith('named');
    const error = await errorOf(firstGrant(store));
    expect(error).toBeInstanceOf(StoreRejectedError);
    expect(error.message).toContain('(CN)');
    await store.close();
  });

  it('is refused for good without the certificate that it demands', async () => {
    const store = storeWith();
    expect(await errorOf(firstGrant(store))).toBeInstanceOf(StoreRejectedError);
    await store.close();
  });

  it('does not get a password if its certificate is not trusted', async () => {
    const store = openStore({ url: urlOf(etcd.url, 'shop'), namespace: 'shop' });
    const error = await errorOf(firstGrant(store));
    expect(error).toBeInstanceOf(StoreRejectedError);
    expect(error.message).toContain('Correct the CA');
    await store.close();
  });
});
