import { startSentinel } from '../../../support/servers/index.js';
import { waitFor } from '../../../support/wait.js';
import { startCluster } from '../support/cluster.js';
import { TIMEOUT_MS } from '../support/issuer.js';
import { ROOMY } from '../support/issuer-job.js';
import type { Scenario } from '../support/scenario.js';
import { REGISTRY_KEY, type Stage } from '../support/stage.js';
import { assertThat, untilAllIssue } from '../support/steps.js';

/**
 * The replica follows its master through a network that swallows everything from some time on. What the master grants
 * after that is lost when it dies: two worker IDs that the new master takes for fresh ones.
 */
async function loseGrants(stage: Stage): Promise<void> {
  const quickSync = ['--repl-diskless-sync-delay', '0'];
  const master = await stage.redis({ args: quickSync });
  const network = await stage.proxy(master.port);
  const replica = await stage.redis({
    args: [...quickSync, '--replicaof', '127.0.0.1', String(network.port)],
  });
  const sentinel = await startSentinel(master, { downAfterMs: 1500, failoverTimeoutMs: 60_000 });
  stage.defer(() => sentinel.stop());
  const [watcher, successor] = [
    stage.client(`redis://127.0.0.1:${sentinel.port}`),
    stage.client(replica.url),
  ];
  await waitFor('the Sentinel to know the replica', TIMEOUT_MS, async () =>
    String(await watcher.call('SENTINEL', 'REPLICAS', sentinel.masterName)).includes(String(replica.port)),
  );
  const sentinels = [{ host: '127.0.0.1', port: sentinel.port }];
  stage.set({ store: { sentinels, name: sentinel.masterName }, lease: ROOMY });
  const [known] = await stage.start(1);
  await waitFor('the replica to have the registry', TIMEOUT_MS, async () => {
    return (await successor.exists(REGISTRY_KEY)) === 1;
  });
  network.swallow();
  const [unknown, doomed] = await stage.start(2);
  await master.kill();
  await doomed!.kill();
  await waitFor('the replica to take over', TIMEOUT_MS, async () =>
    (await successor.info('replication')).includes('role:master'),
  );
  const rows = await successor.hgetall(REGISTRY_KEY);
  assertThat(!(doomed!.workerId in rows), 'no grant was lost: the replica had them all');
  const newcomer = stage.spawn();
  await newcomer.untilEvent('waiting');
  await untilAllIssue([known!, unknown!, newcomer]);
}

async function failOverCluster(stage: Stage): Promise<void> {
  const cluster = await startCluster(stage);
  stage.set({ store: { cluster: { nodes: cluster.nodes } }, lease: ROOMY });
  const issuers = await stage.start(3);
  await cluster.owner.kill();
  await cluster.untilFailedOver();
  const newcomer = stage.spawn();
  await newcomer.untilEvent('waiting');
  await untilAllIssue([...issuers, newcomer]);
}

const seen = {
  userSees:
    'nothing where the window outlasts the failover, else LeaseExhaustedError until a window after it',
  bounds: { maySee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 40_000, stampErrorMs: 5000 },
} as const satisfies Partial<Scenario>;

export const failovers: readonly Scenario[] = [
  { name: 'Sentinel promotes a replica that lagged: grants are lost', ...seen, run: loseGrants },
  { name: 'Redis Cluster: the owner of the registry dies', ...seen, run: failOverCluster },
];
