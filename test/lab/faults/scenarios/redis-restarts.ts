import type { RedisOptions } from '../../../support/servers/index.js';
import { ROOMY } from '../support/issuer-job.js';
import type { Scenario } from '../support/scenario.js';
import type { Stage } from '../support/stage.js';
import { assertThat, untilAllFail, untilAllIssue } from '../support/steps.js';

/** Redis is killed and stays down until every process has used up its window. Meanwhile another process starts. */
async function outlastWindows(stage: Stage, options: RedisOptions): Promise<void> {
  const redis = await stage.redis(options);
  // The wait after a lost history outlasts what keeps a newcomer from asking at once.
  stage.set({ store: { url: redis.url }, lease: ROOMY });
  const issuers = await stage.start(3);
  await redis.kill();
  const newcomer = stage.spawn();
  await newcomer.untilEvent('request-failed');
  await untilAllFail(issuers);
  await redis.restart();
  const { reason } = await newcomer.untilEvent('waiting');
  assertThat(['empty', 'history'].includes(reason), `the newcomer waited because of ${reason}`);
  await untilAllIssue([...issuers, newcomer]);
}

const seenAfterLongOutage = {
  userSees:
    'true time, then timestamps that lag, then LeaseExhaustedError until Redis is back and a window has passed',
  bounds: {
    mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'],
    errorsEndWithinMs: 40_000,
    stampErrorMs: 8000,
  },
} as const satisfies Partial<Scenario>;

export const redisRestarts: readonly Scenario[] = [
  {
    name: 'Redis killed, comes back empty after the windows have ended',
    ...seenAfterLongOutage,
    isQuick: true,
    run: (stage) => outlastWindows(stage, { persistence: 'none' }),
  },
  {
    name: 'Redis killed, comes back from its AOF (everysec) after the windows have ended',
    ...seenAfterLongOutage,
    run: (stage) => outlastWindows(stage, { persistence: 'aof' }),
  },
  {
    name: 'Redis killed three times, back within the window each time',
    userSees: 'nothing',
    bounds: { stampErrorMs: 2000 },
    async run(stage) {
      const redis = await stage.redis();
      stage.set({ store: { url: redis.url }, lease: ROOMY });
      const issuers = await stage.start(3);
      for (let kill = 0; kill < 3; kill++) {
        const killedAtMs = stage.nowMs();
        await redis.kill();
        await Promise.all(issuers.map((issuer) => issuer.untilEvent('request-failed', killedAtMs)));
        await redis.restart();
        await Promise.all(issuers.map((issuer) => issuer.untilEvent('recovered', killedAtMs)));
      }
    },
  },
];
