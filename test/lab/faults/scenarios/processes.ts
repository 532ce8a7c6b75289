import { setTimeout as delay } from 'node:timers/promises';
import type { Issuer } from '../support/issuer.js';
import { ROOMY } from '../support/issuer-job.js';
import type { Scenario } from '../support/scenario.js';
import type { Stage } from '../support/stage.js';
import { assertThat } from '../support/steps.js';

/** Of two processes on two worker IDs one is paused for longer than its window; a third one gets its worker ID. */
export async function handOn(stage: Stage): Promise<{ paused: Issuer; other: Issuer; successor: Issuer }> {
  const redis = await stage.redis();
  // The other one keeps its worker ID, however busy the computer is.
  stage.set({ store: { url: redis.url }, lease: { ...ROOMY, workerCount: 2 } });
  const [paused, other] = await stage.start(2);
  paused!.pause();
  const successor = await stage.startOne();
  assertThat(
    successor.workerId === paused!.workerId,
    'the worker ID of the paused process was not handed on',
  );
  return { paused: paused!, other: other!, successor };
}

async function handOnAndBack(stage: Stage): Promise<void> {
  const { paused, other, successor } = await handOn(stage);
  const resumedAtMs = stage.nowMs();
  paused.resume();
  // Both worker IDs are taken now.
  await paused.untilLogged('failed', resumedAtMs);
  await other.leave();
  await paused.untilEvent('lost', resumedAtMs);
  await paused.untilLogged('resumed', resumedAtMs);
  assertThat(paused.workerId === other.workerId, 'the worker ID that was released was not leased again');
  await successor.untilIssuing();
}

const CRASHES = 40;
const CRASHING_AT_A_TIME = 2;

/** 40 processes are killed while they issue; another one takes the place of each. */
async function crashLoop(stage: Stage): Promise<void> {
  const redis = await stage.redis();
  stage.set({ store: { url: redis.url }, lease: { workerCount: 16 } });
  await stage.startOne();
  const places = Array.from({ length: CRASHING_AT_A_TIME }, async () => {
    for (let crash = 0; crash < CRASHES / CRASHING_AT_A_TIME; crash++) {
      const issuer = await stage.startOne();
      await issuer.kill();
    }
  });
  await Promise.all(places);
  await stage.start(CRASHING_AT_A_TIME);
  const waits = stage.issuers.flatMap((issuer) => issuer.events('waiting'));
  assertThat(
    waits.every(({ reason }) => reason === 'full'),
    `a process waited: ${JSON.stringify(waits)}`,
  );
}

const CROWD = { processes: 4, holders: 50 };

async function crowd(stage: Stage): Promise<void> {
  const redis = await stage.redis();
  stage.set({ store: { url: redis.url }, lease: ROOMY, idsPerRound: 4, roundMs: 50 });
  await stage.startOne();
  const issuers = Array.from({ length: CROWD.processes }, () => stage.spawn({ holders: CROWD.holders }));
  await Promise.all(issuers.map((issuer) => issuer.untilLogged('issuing')));
  await delay(ROOMY.renewEveryMs * 2);
  const acquired = issuers.flatMap((issuer) => issuer.events('acquired'));
  const workerIds = new Set(acquired.map(({ workerId }) => workerId));
  assertThat(
    workerIds.size >= CROWD.processes * CROWD.holders,
    `${workerIds.size} worker IDs for 200 holders`,
  );
}

export const processes: readonly Scenario[] = [
  {
    name: 'A process paused (SIGSTOP) for longer than its window, and its worker ID handed on',
    userSees: 'timestamps as old as the pause, then LeaseExhaustedError until a worker ID is free',
    bounds: { mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 40_000, stampErrorMs: 40_000 },
    isQuick: true,
    run: handOnAndBack,
  },
  {
    name: `Crash loop: ${CRASHES} times kill -9 and another process`,
    userSees: 'nothing',
    bounds: { maySee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 10_000, stampErrorMs: 3000 },
    run: crashLoop,
  },
  {
    name: `${CROWD.processes * CROWD.holders} holders start at once`,
    userSees: 'nothing',
    bounds: { maySee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 10_000, stampErrorMs: 5000 },
    run: crowd,
  },
];
