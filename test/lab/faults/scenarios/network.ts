import { waitFor } from '../../../support/wait.js';
import { TIMEOUT_MS } from '../support/issuer.js';
import { ROOMY } from '../support/issuer-job.js';
import { NAMESPACE, type Stage } from '../support/stage.js';
import type { Scenario } from '../support/scenario.js';
import { assertThat, openOperatorStore, untilAllFail, untilAllIssue } from '../support/steps.js';
import type { UnreliableNetwork } from '../../../support/proxies/unreliable-network.js';

/** Two processes lose touch with Redis for longer than their windows, while two others do not. */
async function loseTouch(stage: Stage, disturb: (network: UnreliableNetwork) => void): Promise<void> {
  const redis = await stage.redis();
  const network = await stage.proxy(redis.port);
  stage.set({ store: { url: redis.url } });
  const near = await stage.start(2);
  const far = await stage.start(2, { store: { url: network.url } });
  const disturbedAtMs = stage.nowMs();
  disturb(network);
  await untilAllFail(far, disturbedAtMs);
  // Their worker IDs are free now: somebody else gets them.
  const successor = await stage.startOne();
  network.heal();
  await untilAllIssue([...near, ...far, successor]);
}

/**
 * A process waits for a worker ID. Two become free, and it is granted one, but the reply comes too late for it to use
 * of that. When replies come in time again, it must not have taken the other one as well.
 */
async function startOnLateReplies(stage: Stage): Promise<void> {
  const redis = await stage.redis();
  const network = await stage.proxy(redis.port);
  stage.set({ store: { url: redis.url }, lease: { ...ROOMY, workerCount: 3 } });
  const holder = await stage.startOne();
  const leaving = await stage.startOne({ holders: 2 });
  const latecomer = stage.spawn({ store: { url: network.url } });
  await latecomer.untilEvent('waiting');
  // Far beyond the timeout: a process that is kept from running must not take a reply that is late for one in time.
  network.delayReplies(12 * ROOMY.callTimeoutMs);
  await leaving.leave();
  const store = openOperatorStore(stage, { url: redis.url, namespace: NAMESPACE });
  const taken = async (): Promise<number> =>
    (await store.inspect()).rows.filter(({ fencingToken }) => fencingToken !== '').length;
  await waitFor('a grant', TIMEOUT_MS, async () => (await taken()) === 2);
  await latecomer.untilEvent('request-failed');
  assertThat(latecomer.events('acquired').length === 0, 'the reply came in time');
  network.heal();
  await latecomer.untilLogged('issuing');
  assertThat((await taken()) === 2, `two holders have taken ${await taken()} worker IDs`);
  await untilAllIssue([holder, latecomer]);
}

const seen = {
  userSees:
    'on the processes concerned: timestamps that lag, then LeaseExhaustedError until the network works again',
  bounds: { mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 40_000, stampErrorMs: 8000 },
} as const satisfies Partial<Scenario>;

export const network: readonly Scenario[] = [
  {
    name: 'TCP black hole for longer than the window',
    ...seen,
    isQuick: true,
    run: (stage) => loseTouch(stage, (proxy) => proxy.swallow()),
  },
  {
    name: 'TCP slow drip (one byte every 5 ms) for longer than the window',
    ...seen,
    run: (stage) => loseTouch(stage, (proxy) => proxy.drip(5)),
  },
  {
    name: 'Replies late, after their timeout, for longer than the window',
    ...seen,
    run: (stage) => loseTouch(stage, (proxy) => proxy.delayReplies(450)),
  },
  {
    name: 'A worker ID granted by a reply that comes after its timeout',
    userSees: 'a start that takes as long as replies are late',
    bounds: { maySee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 20_000, stampErrorMs: 8000 },
    isQuick: true,
    run: startOnLateReplies,
  },
];
