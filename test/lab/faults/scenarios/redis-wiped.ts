import type { Redis } from 'ioredis';
import { ROOMY } from '../support/issuer-job.js';
import type { Scenario } from '../support/scenario.js';
import { REGISTRY_KEY, type Stage } from '../support/stage.js';
import { assertThat, untilAllFail, untilAllIssue } from '../support/steps.js';

const FILLING_BYTES = 100_000;
const MOST_FILLINGS = 2000;

/** Fills the memory of the server with other people's data, until `enough`. What is refused is tried in smaller pieces. */
async function fillUntil(operator: Redis, enough: () => Promise<boolean>): Promise<void> {
  let bytes = FILLING_BYTES;
  for (let index = 0; index < MOST_FILLINGS; index++) {
    if (await enough()) return;
    const reply = await operator.set(`other:${index}`, 'x'.repeat(bytes)).catch(() => 'refused');
    if (reply === 'refused') bytes = Math.ceil(bytes / 2);
  }
  throw new Error(`${MOST_FILLINGS} fillings were not enough`);
}

async function wipeWhileRestarting(stage: Stage): Promise<void> {
  const redis = await stage.redis();
  const operator = stage.client(redis.url);
  stage.set({ store: { url: redis.url }, lease: ROOMY });
  const [steady, ...others] = await stage.start(3);
  for (const other of others) {
    // One starts while the registry is wiped, one has just been killed, one goes on.
    await other.kill();
    const newcomer = stage.spawn();
    await newcomer.untilLogged('starting');
    await operator.flushall();
    await steady!.untilEvent('renewed', stage.nowMs());
  }
  await operator.flushall();
  const late = stage.spawn();
  await late.untilEvent('waiting');
  await untilAllIssue(stage.issuers.filter(({ endedAtMs }) => endedAtMs === undefined));
  assertThat(steady!.events('acquired').length === 1, 'the process that went on lost its worker ID');
}

export const redisWiped: readonly Scenario[] = [
  {
    name: 'FLUSHALL three times while processes restart',
    userSees: 'nothing where a process runs; a process that starts waits for a window',
    bounds: { stampErrorMs: 3000 },
    run: wipeWhileRestarting,
  },
  {
    name: 'maxmemory: the registry is evicted',
    userSees: 'nothing where a process runs; a process that starts waits for a window',
    bounds: { stampErrorMs: 3000 },
    async run(stage) {
      const redis = await stage.redis({
        args: ['--maxmemory', '6mb', '--maxmemory-policy', 'allkeys-random'],
      });
      const operator = stage.client(redis.url);
      stage.set({ store: { url: redis.url }, lease: { ...ROOMY, renewEveryMs: 1500 } });
      const issuers = await stage.start(3);
      await fillUntil(operator, async () => (await operator.exists(REGISTRY_KEY)) === 0);
      const newcomer = stage.spawn();
      await newcomer.untilEvent('waiting');
      await operator.config('SET', 'maxmemory', 0);
      await untilAllIssue([...issuers, newcomer]);
    },
  },
  {
    name: 'maxmemory: out of memory for longer than the window',
    userSees: 'LeaseExhaustedError at the end of the window, until there is memory again',
    bounds: { mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED'], errorsEndWithinMs: 30_000, stampErrorMs: 5000 },
    async run(stage) {
      const redis = await stage.redis({ args: ['--maxmemory-policy', 'noeviction'] });
      const operator = stage.client(redis.url);
      stage.set({ store: { url: redis.url } });
      const issuers = await stage.start(3);
      await operator.config('SET', 'maxmemory', '1mb');
      await untilAllFail(issuers);
      await operator.config('SET', 'maxmemory', 0);
      await untilAllIssue(issuers);
    },
  },
];
