import { etcdLeaseStore } from 'nestjs-snowflake-coordination/etcd';
import type { EtcdServer } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { type Issuer, TIMEOUT_MS } from '../support/issuer.js';
import { ROOMY } from '../support/issuer-job.js';
import type { Scenario } from '../support/scenario.js';
import { NAMESPACE, type Stage } from '../support/stage.js';
import { assertThat, untilAllIssue } from '../support/steps.js';
import type { UnreliableNetwork } from '../../../support/proxies/unreliable-network.js';

/** Long enough to restore a snapshot and to start a process within it. */
const LONG_LEASE = { ...ROOMY, windowMs: 25_000 } as const;

/** What is left when etcd has forgotten a holder that lives. */
export interface EtcdLoss {
  /** It has its lease, and no network: it issues until its window ends. */
  readonly forgotten: Issuer;
  readonly network: UnreliableNetwork;
  readonly newcomer: Issuer;
}

/** A snapshot lacks the grant of a process. It is restored with the flags of the cluster. */
export async function restoreSnapshot(stage: Stage, seesNoHistory = false): Promise<EtcdLoss> {
  const etcd = await stage.etcd(1);
  const network = await stage.proxy(Number(new URL(etcd.url).port));
  const options = { namespace: NAMESPACE, ...(seesNoHistory && { seesNoHistory }) };
  stage.set({ etcd: { url: etcd.url, ...options }, lease: LONG_LEASE });
  const known = await stage.startOne();
  const snapshot = stage.file('snapshot.db');
  await etcd.control('snapshot', 'save', snapshot);
  const forgotten = await stage.startOne({ etcd: { url: `http://127.0.0.1:${network.port}`, ...options } });
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

export const etcdScenarios: readonly Scenario[] = [
  {
    name: 'etcd: a snapshot is restored with the flags of the cluster, and lacks a grant',
    userSees:
      'on the processes concerned: timestamps that lag, then LeaseExhaustedError until they reach etcd again',
    bounds: { mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 90_000, stampErrorMs: 15_000 },
    isQuick: true,
    run: waitForForgotten,
  },
];
