import type { ZookeeperServer } from '../../../support/servers/index.js';
import type { Issuer } from '../support/issuer.js';
import { ROOMY } from '../support/issuer-job.js';
import type { Scenario } from '../support/scenario.js';
import { NAMESPACE, type Stage } from '../support/stage.js';
import { assertThat, untilAllFail, untilAllIssue } from '../support/steps.js';
import type { TcpProxy } from '../support/tcp-proxy.js';

/** Followers need five seconds to give up a leader that is silent. */
const LEASE = { ...ROOMY, windowMs: 20_000 } as const;

/** Three servers. Processes know all of them, unless a scenario says otherwise. */
async function startServers(stage: Stage): Promise<ZookeeperServer> {
  const zookeeper = await stage.zookeeper();
  const { connectString } = zookeeper;
  stage.set({ zookeeper: { connectString, namespace: NAMESPACE }, lease: LEASE });
  return zookeeper;
}

/** Three servers and three processes. */
async function startAll(stage: Stage): Promise<{ zookeeper: ZookeeperServer; issuers: readonly Issuer[] }> {
  const zookeeper = await startServers(stage);
  return { zookeeper, issuers: await stage.start(3) };
}

/** All renew again, and whoever comes later has to wait: the new leader may have missed grants of the old one. */
async function goOnUnderAnother(stage: Stage, issuers: readonly Issuer[]): Promise<void> {
  const changedAtMs = stage.nowMs();
  await Promise.all(issuers.map((issuer) => issuer.untilEvent('renewed', changedAtMs)));
  const newcomer = stage.spawn();
  const { reason } = await newcomer.untilEvent('waiting');
  assertThat(reason === 'history', `the newcomer waited because of ${reason}`);
  await untilAllIssue([...issuers, newcomer]);
}

async function killLeader(stage: Stage): Promise<void> {
  const { zookeeper, issuers } = await startAll(stage);
  const leader = await zookeeper.leader();
  await leader.kill();
  await zookeeper.leader();
  await goOnUnderAnother(stage, issuers);
  await leader.start();
}

/** The leader stops for longer than an election, and goes on as if nothing had happened. */
async function pauseLeader(stage: Stage): Promise<void> {
  const { zookeeper, issuers } = await startAll(stage);
  const leader = await zookeeper.leader();
  leader.pause();
  assertThat((await zookeeper.leader()) !== leader, 'a leader that is paused still leads');
  leader.resume();
  await goOnUnderAnother(stage, issuers);
}

/** Two processes lose touch with ZooKeeper for longer than their windows, while another does not. */
async function loseTouch(stage: Stage): Promise<void> {
  const { connectString } = await startServers(stage);
  const networks: TcpProxy[] = [];
  for (const address of connectString.split(',')) {
    networks.push(await stage.proxy(Number(address.split(':')[1])));
  }
  const near = await stage.startOne();
  const far = await stage.start(2, {
    zookeeper: {
      connectString: networks.map(({ port }) => `127.0.0.1:${port}`).join(','),
      namespace: NAMESPACE,
    },
  });
  const cutAtMs = stage.nowMs();
  for (const network of networks) network.swallow();
  await untilAllFail(far, cutAtMs);
  const successor = await stage.startOne();
  for (const network of networks) network.heal();
  await untilAllIssue([near, successor, ...far]);
}

/** Two of three servers stop: nobody is granted or renewed anything. */
async function loseMajority(stage: Stage): Promise<void> {
  const { zookeeper, issuers } = await startAll(stage);
  const stopped = zookeeper.members.slice(1);
  for (const member of stopped) member.pause();
  const stoppedAtMs = stage.nowMs();
  await untilAllFail(issuers, stoppedAtMs);
  const newcomer = stage.spawn();
  await newcomer.untilEvent('renewal-failed');
  assertThat(newcomer.workerId === -1, `one of three servers granted worker ID ${newcomer.workerId}`);
  for (const member of stopped) member.resume();
  await untilAllIssue([...issuers, newcomer]);
}

const unseen = { userSees: 'nothing', bounds: { stampErrorMs: 5000 } } as const satisfies Partial<Scenario>;
const seen = {
  userSees:
    'on the processes concerned: timestamps that lag, then LeaseExhaustedError until they reach ZooKeeper again',
  bounds: { mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 90_000, stampErrorMs: 20_000 },
} as const satisfies Partial<Scenario>;

export const zookeeperScenarios: readonly Scenario[] = [
  { name: 'zookeeper: the leader of three is killed', ...unseen, isQuick: true, run: killLeader },
  { name: 'zookeeper: the leader of three is paused, and goes on', ...unseen, run: pauseLeader },
  { name: 'zookeeper: two processes lose touch with all servers', ...seen, run: loseTouch },
  { name: 'zookeeper: two of three servers stop', ...seen, run: loseMajority },
];
