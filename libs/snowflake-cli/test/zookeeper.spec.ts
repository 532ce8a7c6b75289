import type { LeaseStore } from 'nestjs-snowflake';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import { zookeeperLeaseStore } from 'nestjs-snowflake-coordination/zookeeper';
import type { Finding } from '../src/commands/doctor/findings.js';
import { startZookeeper, type ZookeeperServer } from '../../../test/support/servers/index.js';
import { untilSuccess } from '../../../test/support/wait.js';
import { runHere } from './run-here.js';

const PASSWORD = 's3cret/@9f27c1';
const READ_WITHIN_MS = 20_000;
let zookeeper: ZookeeperServer;

/** Reads the registry of a store. A call that stands still with its process ends unanswered, so it is repeated. */
const read = (store: LeaseStore): ReturnType<LeaseStore['inspect']> =>
  untilSuccess(READ_WITHIN_MS, () => store.inspect());

async function diagnose(
  connectString: string,
  namespace = 'shop',
): Promise<Pick<Finding, 'code' | 'severity'>[]> {
  const flags = ['--zookeeper', connectString, '--namespace', namespace];
  const { stdout } = await runHere(['doctor', '--json', ...flags]);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  // The commands run at a fixed time.
  return findings
    .filter(({ code }) => code !== 'CLOCK_DIFFERENCE')
    .map(({ code, severity }) => ({ code, severity }));
}

describe('the commands on an ensemble of ZooKeeper', () => {
  beforeAll(async () => {
    zookeeper = await startZookeeper();
  });
  afterAll(() => zookeeper.stop());

  it('initialize a namespace, show its workers, and find nothing wrong', async () => {
    const { connectString } = zookeeper;
    const flags = ['--zookeeper', connectString, '--namespace', 'shop'];
    expect(await diagnose(connectString)).toEqual([{ code: 'NAMESPACE_NEW', severity: 'warning' }]);
    expect((await runHere(['init', '--yes', ...flags])).code).toBe(0);
    const store = zookeeperLeaseStore({ connectString, namespace: 'shop' });
    const ids = new SnowflakeIdMaker({ store, holderName: 'web-1/17', lease: { windowMs: 600_000 } });
    await ids.start();
    const before = await read(store);
    const { stdout } = await runHere(['workers', ...flags]);
    expect(stdout).toContain('zookeeper namespace "shop"');
    expect(stdout).toContain('web-1/17');
    expect(await diagnose(connectString)).toEqual([]);
    expect((await read(store)).rows).toEqual(before.rows);
    await ids.stop();
  });

  it('find an ensemble that does not answer, or refuses the user', async () => {
    expect(await diagnose('127.0.0.1:1')).toEqual([{ code: 'STORE_UNREACHABLE', severity: 'error' }]);
    const { connectString } = zookeeper;
    const user = { name: 'shop', password: PASSWORD };
    const owner = zookeeperLeaseStore({ connectString, namespace: 'owned', user });
    await read(owner);
    await owner.close();
    expect(await diagnose(connectString, 'owned')).toEqual([{ code: 'STORE_REFUSES', severity: 'error' }]);
  });
});

describe('the commands on a standalone ZooKeeper', () => {
  beforeAll(async () => {
    zookeeper = await startZookeeper({ members: 1 });
  });
  afterAll(() => zookeeper.stop());

  it('find that it does not show its history', async () => {
    expect(await diagnose(zookeeper.connectString)).toEqual([{ code: 'STORE_REFUSES', severity: 'error' }]);
  });
});
