import type { Scenario } from '../support/scenario.js';
import { NAMESPACE, type Stage } from '../support/stage.js';
import { assertThat, untilAllFail, untilAllIssue, untilRefused } from '../support/steps.js';
import { leastRights } from '../../../../libs/snowflake/src/stores/redis/registry-key.js';

const USER = 'app';
const PASSWORD = 'before';

async function revokePassword(stage: Stage): Promise<void> {
  const redis = await stage.redis();
  const operator = stage.client(redis.url);
  const rights = leastRights(NAMESPACE).split(' ');
  const allow = () => operator.acl('SETUSER', USER, 'on', `>${PASSWORD}`, ...rights);
  await allow();
  stage.set({ store: { url: redis.url.replace('//', `//${USER}:${PASSWORD}@`) } });
  const issuers = await stage.start(2);
  await operator.acl('DELUSER', USER);
  const newcomer = stage.spawn();
  const code = await untilRefused(newcomer);
  assertThat(code === 'SNOWFLAKE_STORE_REJECTED', `the newcomer got ${code}`);
  await newcomer.kill();
  await untilAllFail(issuers);
  const lastError = issuers[0]!.events('request-failed').at(-1)?.error;
  assertThat(lastError !== undefined, 'no error was reported to the operator');
  await allow();
  await untilAllIssue(issuers);
}

export const access: readonly Scenario[] = [
  {
    name: "A holder's Redis password is revoked, and granted again",
    userSees:
      'where a process runs: LeaseExhaustedError at the end of the window, until a few seconds after the password works; ' +
      'a start fails at once with StoreRejectedError',
    bounds: {
      mustSee: ['SNOWFLAKE_LEASE_EXHAUSTED', 'SNOWFLAKE_STORE_REJECTED'],
      errorsEndWithinMs: 30_000,
      stampErrorMs: 8000,
    },
    isQuick: true,
    run: revokePassword,
  },
];
