import type { Issuer } from '../support/issuer.js';
import { ROOMY } from '../support/issuer-job.js';
import type { Scenario } from '../support/scenario.js';
import { NAMESPACE, type Setting, type Stage } from '../support/stage.js';
import { assertThat, untilAllFail, untilAllIssue } from '../support/steps.js';

/** One of three servers. */
interface Member {
  kill(): Promise<void>;
  start(): Promise<void>;
  pause(): Promise<void>;
  resume(): void;
}

/** Three servers, of which two decide. */
interface Servers {
  readonly members: readonly Member[];
  readonly ports: readonly number[];
  leader(): Promise<Member>;
}

/** A kind of servers that elect a leader. */
interface Quorum {
  readonly name: string;
  /** Longer than the servers need to elect another leader. */
  readonly windowMs: number;
  start(stage: Stage): Promise<Servers>;
  /** Lets processes reach the servers at these ports, on which the servers or proxies listen. */
  reachedAt(ports: readonly number[]): Setting;
}

const etcd: Quorum = {
  name: 'etcd',
  // The clock of etcd has whole seconds. An election takes one or two.
  windowMs: 15_000,
  async start(stage) {
    const server = await stage.etcd(3);
    return {
      members: server.members,
      ports: server.urls.map((url) => Number(new URL(url).port)),
      leader: () => server.leader(),
    };
  },
  reachedAt: (ports) => ({
    etcd: { urls: ports.map((port) => `http://127.0.0.1:${port}`), namespace: NAMESPACE },
  }),
};

const zookeeper: Quorum = {
  name: 'zookeeper',
  // Followers need five seconds to give up a leader that is silent.
  windowMs: 20_000,
  async start(stage) {
    const server = await stage.zookeeper();
    return {
      members: server.members,
      ports: server.members.map(({ address }) => Number(address.split(':')[1])),
      leader: () => server.leader(),
    };
  },
  reachedAt: (ports) => ({
    zookeeper: {
      connectString: ports.map((port) => `127.0.0.1:${port}`).join(','),
      namespace: NAMESPACE,
    },
  }),
};

/** Three servers. Processes know all of them, unless a scenario says otherwise. */
async function startServers(stage: Stage, quorum: Quorum): Promise<Servers> {
  const servers = await quorum.start(stage);
  stage.set({ ...quorum.reachedAt(servers.ports), lease: { ...ROOMY, windowMs: quorum.windowMs } });
  return servers;
}

/** All of them renew. New processes have to wait, because the new leader may have missed grants of the old one. */
async function goOnUnderAnother(stage: Stage, issuers: readonly Issuer[]): Promise<void> {
  const changedAtMs = stage.nowMs();
  await Promise.all(issuers.map((issuer) => issuer.untilEvent('renewed', changedAtMs)));
  const newcomer = stage.spawn();
  const { reason } = await newcomer.untilEvent('waiting');
  assertThat(reason === 'history', `the newcomer waited because of ${reason}`);
  await untilAllIssue([...issuers, newcomer]);
}

async function killLeader(stage: Stage, quorum: Quorum): Promise<void> {
  const servers = await startServers(stage, quorum);
  const issuers = await stage.start(3);
  const leader = await servers.leader();
  await leader.kill();
  await servers.leader();
  await goOnUnderAnother(stage, issuers);
  await leader.start();
}

/** The leader stops for longer than an election, and goes on as if nothing had happened. */
async function pauseLeader(stage: Stage, quorum: Quorum): Promise<void> {
  const servers = await startServers(stage, quorum);
  const issuers = await stage.start(3);
  const leader = await servers.leader();
  await leader.pause();
  assertThat((await servers.leader()) !== leader, 'a leader that is paused still leads');
  leader.resume();
  await goOnUnderAnother(stage, issuers);
}

/** Two processes lose touch with the servers for longer than their windows, while another does not. */
async function loseTouch(stage: Stage, quorum: Quorum): Promise<void> {
  const { ports } = await startServers(stage, quorum);
  const networks = await Promise.all(ports.map((port) => stage.proxy(port)));
  const near = await stage.startOne();
  const far = await stage.start(2, quorum.reachedAt(networks.map(({ port }) => port)));
  const cutAtMs = stage.nowMs();
  for (const network of networks) network.swallow();
  await untilAllFail(far, cutAtMs);
  const successor = await stage.startOne();
  for (const network of networks) network.heal();
  await untilAllIssue([near, successor, ...far]);
}

/** Two of three servers stop: nobody is granted or renewed anything. */
async function loseMajority(stage: Stage, quorum: Quorum): Promise<void> {
  const { members } = await startServers(stage, quorum);
  const issuers = await stage.start(3);
  const stopped = members.slice(1);
  await Promise.all(stopped.map((member) => member.pause()));
  const stoppedAtMs = stage.nowMs();
  await untilAllFail(issuers, stoppedAtMs);
  const newcomer = stage.spawn();
  await newcomer.untilEvent('request-failed');
  assertThat(newcomer.workerId === -1, `one of three servers granted worker ID ${newcomer.workerId}`);
  for (const member of stopped) member.resume();
  await untilAllIssue([...issuers, newcomer]);
}

function scenariosOf(quorum: Quorum): readonly Scenario[] {
  const { name, windowMs } = quorum;
  const unseen = { userSees: 'nothing', bounds: { stampErrorMs: 5000 } } as const satisfies Partial<Scenario>;
  const seen = {
    userSees:
      'on the processes concerned: timestamps that lag, then LeaseExhaustedError until they reach a majority of the servers again',
    bounds: {
      mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'],
      errorsEndWithinMs: 90_000,
      stampErrorMs: windowMs,
    },
  } as const satisfies Partial<Scenario>;
  const playedBy = (run: (stage: Stage, quorum: Quorum) => Promise<void>) => (stage: Stage) =>
    run(stage, quorum);
  return [
    { name: `${name}: the leader of three is killed`, ...unseen, isQuick: true, run: playedBy(killLeader) },
    { name: `${name}: the leader of three is paused, and goes on`, ...unseen, run: playedBy(pauseLeader) },
    { name: `${name}: two processes lose touch with all servers`, ...seen, run: playedBy(loseTouch) },
    { name: `${name}: two of three servers stop`, ...seen, run: playedBy(loseMajority) },
  ];
}

/** What happens to servers that elect a leader. */
export const quorums: readonly Scenario[] = [etcd, zookeeper].flatMap(scenariosOf);
