import { waitFor } from '../../../support/wait.js';
import { type Issuer, TIMEOUT_MS } from '../support/issuer.js';
import { ROOMY } from '../support/issuer-job.js';
import type { Scenario } from '../support/scenario.js';
import type { ScriptVariant } from '../support/script-variants.js';
import { REGISTRY_KEY, type Stage } from '../support/stage.js';
import { assertThat, untilAllIssue } from '../support/steps.js';
import type { UnreliableNetwork } from '../../../support/proxies/unreliable-network.js';

/** Long enough to start Redis and a process within it, on a busy computer too. */
const LEASE = { ...ROOMY, windowMs: 25_000 } as const;

/** What is left when a store has forgotten a holder that lives. */
export interface Loss {
  /** It has its lease, and no network: it issues until its window ends. */
  readonly forgotten: Issuer;
  /** The network of the forgotten one. */
  readonly network: UnreliableNetwork;
  /** Its first call has just reached the store that forgot. */
  readonly newcomer: Issuer;
}

/** One process that the store will remember, and what is needed to have it forget another one. */
async function prepare(stage: Stage, port: number, scripts: ScriptVariant | undefined) {
  stage.set({ lease: LEASE, scripts, store: { url: `redis://127.0.0.1:${port}` } });
  const [known] = await stage.start(1);
  const network = await stage.proxy(port);
  const gate = await stage.proxy(port);
  return { known: known!, network, gate };
}

/** The forgotten one gets its lease, and loses its network. The first call of a newcomer is held back by the gate. */
async function startForgotten(
  stage: Stage,
  { network, gate }: { network: UnreliableNetwork; gate: UnreliableNetwork },
) {
  const [forgotten] = await stage.start(1, { store: { url: network.url } });
  network.swallow();
  gate.swallow();
  const newcomer = stage.spawn({ store: { url: gate.url } });
  await newcomer.untilLogged('starting');
  return { forgotten: forgotten!, network, newcomer };
}

function assertForgotten(rows: Readonly<Record<string, string>>, { forgotten }: Loss): void {
  assertThat('0' in rows, 'Redis has lost everything, which would show without any history');
  assertThat(!(forgotten.workerId in rows), 'no grant was lost: Redis has them all');
}

/** Redis is killed after a grant that it has not saved, and comes back with what it has. */
export async function loseByRestart(stage: Stage, scripts: ScriptVariant | undefined): Promise<Loss> {
  const redis = await stage.redis({ persistence: 'rdb' });
  const operator = stage.client(redis.url);
  const prepared = await prepare(stage, redis.port, scripts);
  await operator.save();
  const loss = await startForgotten(stage, prepared);
  await prepared.known.kill();
  await redis.kill();
  await redis.restart();
  const rows = await waitFor('Redis to answer', TIMEOUT_MS, () =>
    operator.hgetall(REGISTRY_KEY).catch(() => undefined),
  );
  assertForgotten(rows, loss);
  prepared.gate.heal();
  return loss;
}

/** A master follows its replica, which has missed a grant, and is made the master again. It has run all the time. */
export async function followStaleMaster(stage: Stage, scripts: ScriptVariant | undefined): Promise<Loss> {
  const quickSync = ['--repl-diskless-sync-delay', '0'];
  const master = await stage.redis({ args: quickSync });
  const stale = await stage.redis({
    args: [...quickSync, '--replicaof', '127.0.0.1', String(master.port)],
  });
  const [operator, staleOperator] = [stage.client(master.url), stage.client(stale.url)];
  await waitFor('the replica to follow', TIMEOUT_MS, async () =>
    (await operator.info('replication')).includes('state=online'),
  );
  const prepared = await prepare(stage, master.port, scripts);
  await waitFor('the replica to have the registry', TIMEOUT_MS, async () => {
    return (await staleOperator.exists(REGISTRY_KEY)) === 1;
  });
  await staleOperator.replicaof('NO', 'ONE');
  const loss = await startForgotten(stage, prepared);
  await prepared.known.kill();
  await operator.replicaof('127.0.0.1', stale.port);
  await waitFor('the master to follow its replica', TIMEOUT_MS, async () =>
    (await operator.info('replication')).includes('master_link_status:up'),
  );
  await operator.replicaof('NO', 'ONE');
  assertForgotten(await operator.hgetall(REGISTRY_KEY), loss);
  prepared.gate.heal();
  return loss;
}

/** The newcomer waits until the forgotten one's window has ended; then both have leases. */
async function waitForForgotten({ forgotten, network, newcomer }: Loss): Promise<void> {
  const { reason } = await newcomer.untilEvent('waiting');
  assertThat(reason === 'history', `the newcomer waited because of ${reason}, not of another history`);
  await forgotten.untilLogged('failed');
  network.heal();
  await untilAllIssue([forgotten, newcomer]);
}

const seen = {
  userSees: 'where the process is that nobody remembers: LeaseExhaustedError, until it reaches Redis again',
  bounds: { mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 60_000, stampErrorMs: 5000 },
} as const satisfies Partial<Scenario>;

export const histories: readonly Scenario[] = [
  {
    name: 'Redis with a constant replication ID is killed, and forgets a grant',
    ...seen,
    run: async (stage) => waitForForgotten(await loseByRestart(stage, 'constant replication ID')),
  },
  {
    name: 'A master follows a stale replica, forgets a grant, and is the master again without a restart',
    ...seen,
    run: async (stage) => waitForForgotten(await followStaleMaster(stage, undefined)),
  },
];
