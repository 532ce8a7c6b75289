import { setTimeout as delay } from 'node:timers/promises';
import type { LeaseRequest, ReleaseRequest } from 'nestjs-snowflake/store';
import { waitFor } from '../../../support/wait.js';
import { type Issuer, TIMEOUT_MS } from '../support/issuer.js';
import { ROOMY } from '../support/issuer-job.js';
import type { Scenario } from '../support/scenario.js';
import type { ScriptVariant } from '../support/script-variants.js';
import { NAMESPACE, type Setting, type Stage } from '../support/stage.js';
import { assertThat, openOperatorStore } from '../support/steps.js';

const BEHIND_MS = 2700;

/** Long windows beside a maxSkew that covers a clock which is {@link BEHIND_MS} behind; next to no logical time. */
const SKEWED = {
  windowMs: 5000,
  renewEveryMs: 300,
  callTimeoutMs: 400,
  maxSkewMs: 3000,
  reserveMs: 100,
  workerCount: 1,
};

function requestsOf(issuer: Issuer): { leases: LeaseRequest[]; releases: ReleaseRequest[] } {
  const { entries } = issuer;
  return {
    leases: entries.flatMap((entry) => (entry.type === 'lease' ? [entry.request] : [])),
    releases: entries.flatMap((entry) => (entry.type === 'release' ? [entry.request] : [])),
  };
}

/**
 * There is one worker ID. Its first holder, whose clock is behind, is paused; a second one gets it, is cut off, and uses
 * all of its window. Then a copy of the first one's first call, which the network has kept for so long, is executed: it
 * makes a grant without a holder. The first holder continues.
 */
export async function deliverStuckCopy(stage: Stage, scripts?: ScriptVariant): Promise<Issuer> {
  const redis = await stage.redis();
  const network = await stage.proxy(redis.port);
  stage.set({ store: { url: redis.url }, lease: SKEWED, scripts });
  const predecessor = await stage.startOne();
  await predecessor.leave();
  // The window of the next holder begins here: its clock must have come that far, or it would be corrected.
  await delay(BEHIND_MS + 300);
  const holder = await stage.startOne({ clockOffsetMs: -BEHIND_MS, logsCalls: true });
  holder.pause();
  const successor = await stage.startOne({ store: { url: network.url } });
  network.swallow();
  await successor.untilLogged('failed');
  await successor.kill();
  const store = openOperatorStore(stage, { url: redis.url, namespace: NAMESPACE }, scripts);
  const [stuckCopy] = requestsOf(holder).leases;
  await waitFor('the copy to be granted', TIMEOUT_MS, async () => {
    const { outcome } = await store.lease(stuckCopy!);
    return outcome === 'new';
  });
  holder.resume();
  return holder;
}

async function refuseAfterStuckCopy(stage: Stage): Promise<void> {
  const holder = await deliverStuckCopy(stage);
  await holder.untilEvent('lost');
  await holder.untilIssuing();
}

/** What was under way for a long time, and arrives now: in this order. */
export interface LateMessages {
  readonly successor: Issuer;
  /** Lets them arrive. @returns what the store answered */
  deliver(): Promise<string[]>;
}

/**
 * There is one worker ID. The release of its first holder is under way for so long that a second one has got the worker
 * ID when it arrives, together with the renewal before it: in this order and in the other.
 */
export async function delayRelease(stage: Stage, setting: Setting = {}): Promise<LateMessages> {
  const redis = await stage.redis();
  stage.set({ ...setting, store: { url: redis.url }, lease: { ...setting.lease, workerCount: 1 } });
  const holder = await stage.startOne({ logsCalls: true, losesReleases: true });
  await holder.untilEvent('renewed');
  await holder.leave();
  const successor = await stage.startOne();
  const { leases, releases } = requestsOf(holder);
  const [renewal, release] = [leases.at(-1), releases.at(-1)];
  assertThat(renewal?.claim !== undefined && release !== undefined, 'there is no renewal and no release');
  const store = openOperatorStore(stage, { url: redis.url, namespace: NAMESPACE }, setting.scripts);
  return {
    successor,
    async deliver() {
      const first = [await store.release(release), await store.lease(renewal)];
      const second = [await store.lease(renewal), await store.release(release)];
      return [...first, ...second].map(({ outcome }) => outcome);
    },
  };
}

async function keepHeir(stage: Stage): Promise<void> {
  // The successor keeps its worker ID, however busy the computer is.
  const { successor, deliver } = await delayRelease(stage, { lease: ROOMY });
  const newcomer = stage.spawn();
  await newcomer.untilEvent('waiting');
  const outcomes = await deliver();
  assertThat(outcomes.join() === 'gone,full,full,gone', `the store answered ${outcomes.join()}`);
  await successor.untilEvent('renewed', stage.nowMs());
  assertThat(successor.events('lost').length === 0, 'the successor lost its worker ID');
  await successor.leave();
  await newcomer.untilLogged('issuing');
}

export const messages: readonly Scenario[] = [
  {
    name: 'A stuck copy of an old call delivered a window later',
    userSees: 'timestamps as old as the pause, then LeaseExhaustedError until the forgotten grant has ended',
    bounds: { mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 30_000, stampErrorMs: 40_000 },
    isQuick: true,
    run: refuseAfterStuckCopy,
  },
  {
    name: 'Release and renewal reordered, twice, after a takeover',
    userSees: 'nothing',
    bounds: { maySee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 20_000, stampErrorMs: 8000 },
    isQuick: true,
    run: keepHeir,
  },
];
