import { etcdLeaseStore } from 'nestjs-snowflake-coordination/etcd';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { sourceOfStore } from '../src/commands/stores/store-source.js';
import type { Finding } from '../src/commands/doctor/findings.js';
import { enableUsers, PASSWORD, urlOf } from '../../snowflake-coordination/test/etcd/support/access.js';
import { type EtcdServer, startEtcd } from '../../../test/support/servers/index.js';
import { leastRights } from '../../snowflake-coordination/src/etcd/least-rights.js';
import { runHere } from './run-here.js';

const NAMESPACE = ['--namespace', 'shop'];
let etcd: EtcdServer;

beforeAll(async () => {
  etcd = await startEtcd();
});
afterAll(() => etcd.stop());

async function diagnose(url: string, ...namespace: string[]): Promise<Pick<Finding, 'code' | 'severity'>[]> {
  const { stdout } = await runHere([
    'doctor',
    '--json',
    '--etcd',
    url,
    ...(namespace.length > 0 ? namespace : NAMESPACE),
  ]);
  expect(stdout).not.toContain(PASSWORD);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  // The commands run at a fixed time.
  return findings
    .filter(({ code }) => code !== 'CLOCK_DIFFERENCE')
    .map(({ code, severity }) => ({ code, severity }));
}

describe('the commands on etcd', () => {
  it('make a store of their own from the store of an app', () => {
    const options = { url: etcd.url, namespace: 'shop' };
    expect(sourceOfStore(etcdLeaseStore(options))).toEqual({ kind: 'etcd', options });
  });

  it('initialize a namespace, show its workers, and find nothing wrong', async () => {
    expect(await diagnose(etcd.url)).toEqual([{ code: 'NAMESPACE_NEW', severity: 'warning' }]);
    expect((await runHere(['init', '--yes', '--etcd', etcd.url, ...NAMESPACE])).code).toBe(0);
    const store = etcdLeaseStore({ url: etcd.url, namespace: 'shop' });
    const ids = new SnowflakeIdMaker({ store, holderName: 'web-1/17', lease: { windowMs: 600_000 } });
    await ids.start();
    const before = await etcd.control('get', '--prefix', 'snowflake/shop/');
    const { stdout } = await runHere(['workers', '--etcd', etcd.url, ...NAMESPACE]);
    expect(stdout).toContain('etcd namespace "shop"');
    expect(stdout).toContain('web-1/17');
    expect(await diagnose(etcd.url)).toEqual([]);
    expect(await etcd.control('get', '--prefix', 'snowflake/shop/')).toBe(before);
    await ids.stop();
  });

  it('find an etcd that does not answer', async () => {
    expect(await diagnose('http://127.0.0.1:1')).toEqual([{ code: 'STORE_UNREACHABLE', severity: 'error' }]);
  });

  it('find a user who may not write', async () => {
    await enableUsers(etcd, leastRights('shop'), 'snowflake-shop');
    const [name, rights] = ['reader', 'snowflake/shop/'];
    const asRoot = ['--user', 'root:root'];
    await etcd.control(...asRoot, 'role', 'add', name);
    await etcd.control(...asRoot, 'role', 'grant-permission', name, 'read', rights, '--prefix');
    await etcd.control(...asRoot, 'user', 'add', `${name}:${PASSWORD}`);
    await etcd.control(...asRoot, 'user', 'grant-role', name, name);
    expect(await diagnose(urlOf(etcd.url, name))).toEqual([{ code: 'STORE_REFUSES', severity: 'error' }]);
    expect(await diagnose(urlOf(etcd.url, 'shop'))).toEqual([]);
  });
});
