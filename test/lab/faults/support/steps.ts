import type { LeaseStore, SnowflakeErrorCode } from 'nestjs-snowflake';
import type { RedisLeaseStoreOptions } from 'nestjs-snowflake/redis';
import { waitFor } from '../../../support/wait.js';
import { type Issuer, TIMEOUT_MS } from './issuer.js';
import { type ScriptVariant, storeWithScripts } from './script-variants.js';
import type { Stage } from './stage.js';

const OPERATOR_TIMEOUT_MS = 10_000;

/** Fails a scenario with words of its own. */
export function assertThat(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}

/** Every holder's window is used up. */
export async function untilAllFail(issuers: readonly Issuer[], sinceMs = 0): Promise<void> {
  await Promise.all(issuers.map((issuer) => issuer.untilLogged('failed', sinceMs)));
}

export async function untilAllIssue(issuers: readonly Issuer[]): Promise<void> {
  await Promise.all(issuers.map((issuer) => issuer.untilIssuing()));
}

/** Resolves to the code with which the start of a process failed. */
export async function untilRefused(issuer: Issuer): Promise<SnowflakeErrorCode> {
  const refused = await waitFor(`${issuer.name} to be refused`, TIMEOUT_MS, () =>
    issuer.entries.find(({ type }) => type === 'refused'),
  );
  return (refused as { code: SnowflakeErrorCode }).code;
}

/** A store of the test's own on the registry of a scenario, for what an operator looks at or a network delivers. */
export function openOperatorStore(
  stage: Stage,
  options: RedisLeaseStoreOptions,
  scripts?: ScriptVariant,
): LeaseStore {
  const store = storeWithScripts(options, scripts);
  store.open({ callTimeoutMs: OPERATOR_TIMEOUT_MS });
  stage.defer(() => store.close());
  return store;
}
