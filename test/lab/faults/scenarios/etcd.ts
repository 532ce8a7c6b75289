import { etcdLeaseStore } from 'nestjs-snowflake/etcd';
import type { EtcdServer } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { type Issuer, TIMEOUT_MS } from '../support/issuer.js';
import { ROOMY } from '../support/issuer-job.js';
import type { Scenario } from '../support/scenario.js';
import { NAMESPACE, type Stage } from '../support/stage.js';
import { assertThat, untilAllFail, untilAllIssue } from '../support/steps.js';
import type { TcpProxy } from '../support/tcp-proxy.js';

/** The clock of etcd has whole seconds. An election takes one or two. */
const LEASE = { ...ROOMY, windowMs: 15_000 } as const;
/** Long enough to restore a snapshot and to start a process within it. */
const LONG_LEASE = { ...ROOMY, windowMs: 25_000 } as const;

function portOf(url: string | undefined): number {
  return Number(new URL(url ?? '').port);
}

function proxyUrl({ port }: TcpProxy): string {
  return `http://127.0.0.1:${port}`;
}

/** Three members, and three processes that know all of them. */
async function startAll(stage: Stage): Promise<{ etcd: EtcdServer; issuers: readonly Issuer[] }> {
  const etcd = await stage.etcd(3);
  stage.set({ etcd: { urls: etcd.urls, namespace: NAMESPACE }, lease: LEASE });
  return { etcd, issuers: await stage.start(3) };
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
  const { etcd, issuers } = await startAll(stage);
  const leader = await etcd.leader();
  await leader.kill();
  await etcd.untilUp(etcd.members.find((member) => member !== leader));
  await goOnUnderAnother(stage, issuers);
  await leader.start();
}

/** The leader stops for longer than an election, and goes on as if nothing had happened. */
async function pauseLeader(stage: Stage): Promise<void> {
  const { etcd, issuers } = await startAll(stage);
  const leader = await etcd.leader();
  leader.pause();
  await etcd.untilUp(etcd.members.find((member) => member !== leader));
  leader.resume();
  await goOnUnderAnother(stage, issuers);
}

/** Two processes lose touch with etcd for longer than their windows, while another does not. */
async function loseTouch(stage: Stage): Promise<void> {
  const etcd = await stage.etcd(3);
  const networks: TcpProxy[] = [];
  for (const url of etcd.urls) networks.push(await stage.proxy(portOf(url)));
  stage.set({ etcd: { urls: etcd.urls, namespace: NAMESPACE }, lease: LEASE });
  const near = await stage.startOne();
  const far = await stage.start(2, { etcd: { urls: networks.map(proxyUrl), namespace: NAMESPACE } });
  const cutAtMs = stage.nowMs();
  for (const network of networks) network.swallow();
  await untilAllFail(far, cutAtMs);
  const successor = await stage.startOne();
  for (const network of networks) network.heal();
  await untilAllIssue([near, successor, ...far]);
}

/** Two of three members stop: nobody is granted or renewed anything. */
async function loseMajority(stage: Stage): Promise<void> {
  const { etcd, issuers } = await startAll(stage);
  const stopped = etcd.members.slice(1);
  for (const member of stopped) member.pause();
  const stoppedAtMs = stage.nowMs();
  await untilAllFail(issuers, stoppedAtMs);
  const newcomer = stage.spawn();
  await newcomer.untilEvent('renewal-failed');
  assertThat(newcomer.workerId === -1, `one of three members granted worker ID ${newcomer.workerId}`);
  for (const member of stopped) member.resume();
  await untilAllIssue([...issuers, newcomer]);
}

/** What is left when etcd has forgotten a holder that lives. */
export interface EtcdLoss {
  /** It has its lease, and no network: it issues until its window ends. */
  readonly forgotten: Issuer;
  readonly network: TcpProxy;
  readonly newcomer: Issuer;
}

/** A snapshot lacks the grant of a process. It is restored with the flags of the cluster. */
export async function restoreSnapshot(stage: Stage, seesNoHistory = false): Promise<EtcdLoss> {
  const etcd = await stage.etcd(1);
  const network = await stage.proxy(portOf(etcd.url));
  const options = { namespace: NAMESPACE, ...(seesNoHistory && { seesNoHistory }) };
  stage.set({ etcd: { url: etcd.url, ...options }, lease: LONG_LEASE });
  const known = await stage.startOne();
  const snapshot = stage.file('snapshot.db');
  await etcd.control('snapshot', 'save', snapshot);
  const forgotten = await stage.startOne({ etcd: { url: proxyUrl(network), ...options } });
  network.swallow();
  await known.kill();
  await etcd.restore(snapshot);
  await waitForRestored(etcd, forgotten);
  const newcomer = stage.spawn();
  return { forgotten, network, newcomer };
}

async function waitForRestored({ url }: EtcdServer, { workerId }: Issuer): Promise<void> {
  const store = etcdLeaseStore({ url, namespace: NAMESPACE });
  const rows = await waitFor('etcd to answer', TIMEOUT_MS, async () => (await store.inspect()).rows);
  assertThat(!rows.some((row) => row.workerId === workerId), 'no grant was lost: the snapshot has them all');
  await store.close();
}

async function waitForForgotten(stage: Stage): Promise<void> {
  const { forgotten, network, newcomer } = await restoreSnapshot(stage);
  const { reason } = await newcomer.untilEvent('waiting');
  assertThat(reason === 'history', `the newcomer waited because of ${reason}, not of another history`);
  await forgotten.untilLogged('failed');
  network.heal();
  await untilAllIssue([forgotten, newcomer]);
}

const unseen = { userSees: 'nothing', bounds: { stampErrorMs: 5000 } } as const satisfies Partial<Scenario>;
const seen = {
  userSees:
    'on the processes concerned: timestamps that lag, then LeaseExhaustedError until they reach etcd again',
  bounds: { mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 90_000, stampErrorMs: 15_000 },
} as const satisfies Partial<Scenario>;

export const etcdScenarios: readonly Scenario[] = [
  { name: 'etcd: the leader of three is killed', ...unseen, isQuick: true, run: killLeader },
  { name: 'etcd: the leader of three is paused, and goes on', ...unseen, run: pauseLeader },
  { name: 'etcd: two processes lose touch with all members', ...seen, run: loseTouch },
  { name: 'etcd: two of three members stop', ...seen, run: loseMajority },
  {
    name: 'etcd: a snapshot is restored with the flags of the cluster, and lacks a grant',
    ...seen,
    isQuick: true,
    run: waitForForgotten,
  },
];
