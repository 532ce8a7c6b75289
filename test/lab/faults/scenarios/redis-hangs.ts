import type { Scenario } from '../support/scenario.js';
import type { Stage } from '../support/stage.js';
import { untilAllFail, untilAllIssue } from '../support/steps.js';

/** Calls that nobody answered are executed later, all at once: on connections that their senders have left. */
async function hangAndGoOn(
  stage: Stage,
  hang: (redis: Awaited<ReturnType<Stage['redis']>>) => Promise<() => Promise<unknown>>,
): Promise<void> {
  const redis = await stage.redis();
  stage.set({ store: { url: redis.url } });
  const issuers = await stage.start(3);
  const goOn = await hang(redis);
  await untilAllFail(issuers);
  const newcomer = stage.spawn();
  await newcomer.untilEvent('request-failed');
  await goOn();
  await untilAllIssue([...issuers, newcomer]);
}

const seen = {
  userSees: 'true time, then timestamps that lag, then LeaseExhaustedError until Redis goes on',
  bounds: { mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 30_000, stampErrorMs: 5000 },
} as const satisfies Partial<Scenario>;

const PAUSED_FOR_MS = 600_000;

export const redisHangs: readonly Scenario[] = [
  {
    name: 'Redis paused (SIGSTOP) for longer than the window',
    ...seen,
    run: (stage) =>
      hangAndGoOn(stage, async (redis) => {
        redis.pause();
        return async () => redis.resume();
      }),
  },
  {
    name: 'CLIENT PAUSE WRITE for longer than the window',
    ...seen,
    run: (stage) =>
      hangAndGoOn(stage, async (redis) => {
        const operator = stage.client(redis.url);
        await operator.client('PAUSE', PAUSED_FOR_MS, 'WRITE');
        return () => operator.client('UNPAUSE');
      }),
  },
];
