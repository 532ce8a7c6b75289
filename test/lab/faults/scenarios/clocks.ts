import { FakeClock } from '../support/faketime.js';
import type { Issuer } from '../support/issuer.js';
import type { Scenario } from '../support/scenario.js';
import { CLOCK_OFFSET_KEY } from '../support/script-variants.js';
import type { Stage } from '../support/stage.js';
import { assertThat } from '../support/steps.js';

const HOUR_MS = 3_600_000;
const HALF_HOUR_SECONDS = 1800;
/** A timestamp can run ahead by a window, and until a step of the clock is noticed by a computer that is busy. */
const WRONG_FOR_AT_MOST_MS = 6000;

async function wrongClocks(stage: Stage): Promise<void> {
  const redis = await stage.redis();
  stage.set({ store: { url: redis.url } });
  await stage.startOne();
  const [ahead, behind] = [new FakeClock(stage, 'ahead', HOUR_MS), new FakeClock(stage, 'behind', -HOUR_MS)];
  const issuers = [await stage.startOne({}, ahead.env), await stage.startOne({}, behind.env)];
  for (const issuer of issuers) {
    const { offsetMs } = await issuer.untilEvent('clock-corrected');
    assertThat(
      Math.abs(Math.abs(offsetMs) - HOUR_MS) < WRONG_FOR_AT_MOST_MS,
      `the correction was ${offsetMs} ms`,
    );
    await issuer.untilEvent('renewed', stage.nowMs());
  }
}

async function jumpingClocks(stage: Stage): Promise<void> {
  const redis = await stage.redis();
  stage.set({ store: { url: redis.url } });
  await stage.startOne();
  const clocks = [new FakeClock(stage, 'first', 0), new FakeClock(stage, 'second', 0)];
  const issuers = await Promise.all(clocks.map(({ env }) => stage.startOne({}, env)));
  for (const aheadMs of [HOUR_MS, 0, -HOUR_MS, 0]) {
    const steppedAtMs = stage.nowMs();
    for (const clock of clocks) clock.set(aheadMs);
    await Promise.all(issuers.map((issuer) => untilCorrected(issuer, steppedAtMs)));
  }
}

async function untilCorrected(issuer: Issuer, sinceMs: number): Promise<void> {
  await issuer.untilEvent('clock-corrected', sinceMs);
  await issuer.untilIssuing();
}

/**
 * The registry is begun at a time before all others: a server whose clock goes back to before its registry's `grantsAfter`
 * grants nothing until it has caught up.
 */
async function steppingServer(stage: Stage): Promise<void> {
  const redis = await stage.redis();
  const operator = stage.client(redis.url);
  await operator.set(CLOCK_OFFSET_KEY, -2 * HALF_HOUR_SECONDS);
  stage.set({ store: { url: redis.url }, scripts: 'stepped clock', lease: { workerCount: 64 } });
  const issuers = await stage.start(3);
  for (const offsetSeconds of [0, -HALF_HOUR_SECONDS, HALF_HOUR_SECONDS, 0]) {
    const steppedAtMs = stage.nowMs();
    await operator.set(CLOCK_OFFSET_KEY, offsetSeconds);
    await Promise.all(issuers.map((issuer) => untilCorrected(issuer, steppedAtMs)));
    issuers.push(await stage.startOne());
  }
}

export const clocks: readonly Scenario[] = [
  {
    name: 'Processes whose clocks are an hour off, ahead and behind',
    userSees: 'nothing: the difference is added',
    bounds: {
      maySee: ['SNOWFLAKE_LEASE_EXHAUSTED'],
      errorsEndWithinMs: 10_000,
      stampErrorMs: WRONG_FOR_AT_MOST_MS,
    },
    run: wrongClocks,
  },
  {
    name: 'Clocks of processes that jump by an hour, both ways',
    userSees: 'timestamps up to a window ahead until the next renewal, then true ones',
    bounds: {
      maySee: ['SNOWFLAKE_LEASE_EXHAUSTED'],
      errorsEndWithinMs: 20_000,
      stampErrorMs: WRONG_FOR_AT_MOST_MS,
    },
    run: jumpingClocks,
  },
  {
    name: "Redis's clock stepping by half an hour, both ways",
    userSees: "timestamps that follow Redis's clock",
    bounds: {
      maySee: ['SNOWFLAKE_LEASE_EXHAUSTED'],
      errorsEndWithinMs: 20_000,
      stampErrorMs: 2 * HALF_HOUR_SECONDS * 1000 + WRONG_FOR_AT_MOST_MS,
    },
    run: steppingServer,
  },
];
