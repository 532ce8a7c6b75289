import { NAMESPACE, type Stage } from '../support/stage.js';
import type { Scenario } from '../support/scenario.js';
import { assertThat, openOperatorStore, untilAllFail, untilAllIssue } from '../support/steps.js';
import type { TcpProxy } from '../support/tcp-proxy.js';

/** Two processes lose touch with Redis for longer than their windows, while two others do not. */
async function loseTouch(stage: Stage, disturb: (network: TcpProxy) => void): Promise<void> {
  const redis = await stage.redis();
  const network = await stage.proxy(redis.port);
  stage.set({ store: { url: redis.url } });
  const near = await stage.start(2);
  const far = await stage.start(2, { store: { url: network.url } });
  const disturbedAtMs = stage.nowMs();
  disturb(network);
  await untilAllFail(far, disturbedAtMs);
  // Their worker IDs are free now: somebody else gets them.
  const heir = await stage.startOne();
  network.heal();
  await untilAllIssue([...near, ...far, heir]);
}

/**
 * A process whose replies come too late is granted a worker ID again and again without learning of it, until a reply
 * comes in time. It must have taken no more than one.
 */
async function startOnLateReplies(stage: Stage): Promise<void> {
  const redis = await stage.redis();
  const network = await stage.proxy(redis.port);
  stage.set({ store: { url: redis.url } });
  const [holder] = await stage.start(1);
  const latecomer = stage.spawn({ store: { url: network.url }, tellsCalls: true });
  await latecomer.untilSaid('starting');
  network.delayReplies(latecomer.job.lease.callTimeoutMs! * 1.5);
  await latecomer.untilEvent('renewal-failed');
  const store = openOperatorStore(stage, { url: redis.url, namespace: NAMESPACE });
  network.heal();
  await latecomer.untilSaid('issuing');
  const { rows } = await store.inspect();
  assertThat(rows.length === 2, `two holders have taken ${rows.length} worker IDs`);
  await untilAllIssue([holder!, latecomer]);
}

const seen = {
  userSees:
    'on the processes concerned: timestamps that lag, then LeaseExhaustedError until the network works again',
  bounds: { mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 40_000, stampErrorMs: 5000 },
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
    name: 'Replies late, after their timeout, while a process starts',
    userSees: 'a start that takes as long as the replies are late',
    bounds: { maySee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 10_000, stampErrorMs: 3000 },
    isQuick: true,
    run: startOnLateReplies,
  },
];
